"""Examines an installation: what is wrong with it, and how to fix it."""
