"""What the command line does with the tables of a shop: presets, files, words, and ways to make data."""
