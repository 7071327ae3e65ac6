"""The measures of the default preset."""

from __future__ import annotations

from games.shop.measures.registry import MEASURES

__all__ = ["MEASURES"]
