"""Partition of a table into groups by a tree of median splits: `gh-tree` and its peers on one engine."""
