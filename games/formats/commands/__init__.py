"""What the command line asks the formats. Each command imports the modules that it needs."""
