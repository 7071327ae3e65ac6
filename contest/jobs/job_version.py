"""The number of what jobs and their rows look like."""

from __future__ import annotations

RELEASE = 4
"""Raise it in the version whose jobs an older worker could not do correctly. While both versions run, a
worker leaves jobs of a higher number to the newer workers."""
