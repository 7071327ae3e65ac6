"""Originals, entries and guesses in folders, in the files of the default preset."""

from __future__ import annotations

from games.shop.commands.entries import (
    check_guess,
    n_people,
    people_in_words,
    read_original,
    read_release,
    read_released,
    report_lines,
    write_release,
)

__all__ = [
    "check_guess",
    "n_people",
    "people_in_words",
    "read_original",
    "read_release",
    "read_released",
    "report_lines",
    "write_release",
]
