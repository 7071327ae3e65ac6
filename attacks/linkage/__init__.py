"""Linking records: features of customers, candidates, similarity search and one-to-one assignment."""
