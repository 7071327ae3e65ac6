"""Contests of the house that the platform plays in its own process.

The platform imports these modules alone, and knows neither the tables nor the years of a format.
"""

from __future__ import annotations

from games.shop.formats import FORMATS, OLDEST, TABLE_FIELDS, CheckedUpload, Format, UploadFile, find_format

__all__ = ["FORMATS", "OLDEST", "TABLE_FIELDS", "CheckedUpload", "Format", "UploadFile", "find_format"]
