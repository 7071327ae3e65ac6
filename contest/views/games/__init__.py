"""Pages of rounds that are played by a game. The views of all rounds hand over to these."""
