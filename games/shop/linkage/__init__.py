"""Linking customers: features, evidence and what it weighs."""
