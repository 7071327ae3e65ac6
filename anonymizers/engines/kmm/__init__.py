"""Minimum-movement k-anonymization (k-MM) of panel data: fast, exact, and the paper's random split."""
