"""Games from outside the tree, as strangers write them: each has a package of its own."""
