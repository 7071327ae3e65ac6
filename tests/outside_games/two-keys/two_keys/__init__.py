"""The game two-keys."""
