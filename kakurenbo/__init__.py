"""The command line of Kakurenbo."""
