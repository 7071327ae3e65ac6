"""Forms that are made from what a game declares."""
