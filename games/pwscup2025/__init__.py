"""The game of PWSCUP 2025: a table of patients and a model of it, and who was in the data."""
