"""What pages say about the files and the people of each format, in English."""

from __future__ import annotations

from games.shop.measure_words import measure_words
from games.shop.texts import FACTS, FORMAT_TEXTS, TABLES, TERMS, FileText, FormatText, found_by, sizes
from games.shop.words import TEXTS, Figure, Said, Share, Value

__all__ = [
    "FACTS",
    "FORMAT_TEXTS",
    "TABLES",
    "TERMS",
    "TEXTS",
    "Figure",
    "FileText",
    "FormatText",
    "Said",
    "Share",
    "Value",
    "found_by",
    "measure_words",
    "sizes",
]
