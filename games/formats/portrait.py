"""The numbers behind the pictures of an entry."""

from __future__ import annotations

from games.shop.portrait import portrait

__all__ = ["portrait"]
