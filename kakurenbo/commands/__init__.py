"""One command a file: `add_arguments(parser)` declares it, `run(args)` does it and returns the exit code."""
