"""What pages show about games and the rounds that are played by them."""
