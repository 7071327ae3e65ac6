"""Organising contests that are played by games."""
