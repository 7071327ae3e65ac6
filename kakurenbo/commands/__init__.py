"""One command per file: `add_arguments(parser)` declares it, `run(args)` does it and gives the exit code."""
