"""The contract between the platform and a game: what a game declares, what it does, what its files are."""
