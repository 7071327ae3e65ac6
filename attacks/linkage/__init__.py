"""Linking records: features of people, candidates, similarity search and one-to-one assignment."""
