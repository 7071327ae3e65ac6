"""Signals of cheating in contests of shops: copied entries, and a truth that the order of rows tells."""

from __future__ import annotations

FORMATS = frozenset({"2016"})
"""Formats whose tables the signals can read."""
