"""The contest formats that the platform knows: one line each."""

from __future__ import annotations

from datasets.formats.format import CheckedUpload, Facts, Format, Neutral, UploadFile
from datasets.formats.pwscup2016 import Pwscup2016
from datasets.formats.pwscup2017 import Original2017, Pwscup2017
from datasets.formats.pwscup2018 import Pwscup2018
from datasets.lookup import find_by_name

__all__ = [
    "FORMATS",
    "CheckedUpload",
    "Facts",
    "Format",
    "Neutral",
    "Original2017",
    "UploadFile",
    "find_format",
]

FORMATS: tuple[Format, ...] = (Pwscup2016(), Pwscup2017(), Pwscup2018())


def find_format(name: str) -> Format:
    """The format of that name.

    >>> find_format("2017").upload_names
    ('AT.csv',)
    """
    return find_by_name(FORMATS, name, "format")
