"""The game of PWSCUP 2024: ten projections of a rating table, linkage, and ratings to restore."""
