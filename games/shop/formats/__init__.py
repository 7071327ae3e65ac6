"""The contest formats that the platform knows: one line each."""

from __future__ import annotations

from datasets.lookup import find_by_name
from games.shop.formats.format import CheckedUpload, Facts, Format, Neutral, UploadFile
from games.shop.formats.pwscup2016 import Pwscup2016
from games.shop.formats.pwscup2017 import Original2017, Pwscup2017
from games.shop.formats.pwscup2018 import Pwscup2018

__all__ = [
    "FORMATS",
    "OLDEST",
    "TABLE_FIELDS",
    "CheckedUpload",
    "Facts",
    "Format",
    "Neutral",
    "Original2017",
    "UploadFile",
    "find_format",
]

FORMATS: tuple[Format, ...] = (Pwscup2016(), Pwscup2017(), Pwscup2018())
OLDEST = FORMATS[0].name
"""The format of everything that was made before there was a choice, and so names none."""
TABLE_FIELDS = tuple(dict.fromkeys(file.field for spec in FORMATS for file in spec.table_fields))
"""The tables that a data set has in some format, by their names in forms and bundles."""


def find_format(name: str) -> Format:
    """The format of that name.

    >>> find_format("2017").upload_names
    ('AT.csv',)
    """
    return find_by_name(FORMATS, name, "format")
