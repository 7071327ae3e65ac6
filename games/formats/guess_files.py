"""The guess of a house attack as the file that a team would send."""

from __future__ import annotations

from games.shop.guess_files import guess_file

__all__ = ["guess_file"]
