"""Games from outside the tree, two of them ugly on purpose, and the laws on every game."""
