"""Signs of copied entries and guesses, and the formats in which they are looked for."""

from __future__ import annotations

from games.shop.signals import FORMATS, search

__all__ = ["FORMATS", "search"]
