"""What the files of an upload are, by their fields in the API."""

from __future__ import annotations

from games.shop.formats.uploads import ARCHIVE, MEANINGS

__all__ = ["ARCHIVE", "MEANINGS"]
