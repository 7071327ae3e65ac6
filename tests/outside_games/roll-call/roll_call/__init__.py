"""The game roll-call."""
