"""Ways to make the data of a round: what is decided about each, and the file that one starts from."""

from __future__ import annotations

from games.shop.sources import ABOUT_SETTINGS, CHOICE, DATA, WAYS, SourceFile, Way

__all__ = ["ABOUT_SETTINGS", "CHOICE", "DATA", "WAYS", "SourceFile", "Way"]
