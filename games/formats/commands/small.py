"""An original on which everything of the house runs within moments."""

from __future__ import annotations

from games.shop.commands.small import LIMITS, SETTINGS, small_original

__all__ = ["LIMITS", "SETTINGS", "small_original"]
