"""The house methods of a format as games declare theirs."""

from __future__ import annotations

from games.shop.declaring import methods_of

__all__ = ["methods_of"]
