"""Codabench's competition bundles as games: their scoring programs run as they are."""
