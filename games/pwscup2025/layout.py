"""The columns of the tables, and tables as the texts of their cells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from games.contract.values import Box

CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "GENDER": ("F", "M"),
    "RACE": ("asian", "black", "hawaiian", "native", "other", "white"),
    "ETHNICITY": ("hispanic", "nonhispanic"),
}
COUNTS = (
    "encounter_count", "num_procedures", "num_medications", "num_immunizations", "num_allergies",
    "num_devices",
)  # fmt: skip
FLAGS = ("asthma_flag", "stroke_flag", "obesity_flag", "depression_flag")
MEANS = ("mean_systolic_bp", "mean_diastolic_bp", "mean_bmi", "mean_weight")
COLUMNS = ("GENDER", "AGE", "RACE", "ETHNICITY", *COUNTS, *FLAGS, *MEANS)
WHOLE = ("AGE", *COUNTS, *FLAGS)
HEADER = ",".join(COLUMNS)
N_ALTERNATIVES = 3

RANGES: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "final": {
        "AGE": (2, 110), "encounter_count": (4, 1211), "num_procedures": (0, 2442),
        "num_medications": (0, 7195), "num_immunizations": (0, 40), "num_allergies": (0, 17),
        "num_devices": (0, 160), "mean_systolic_bp": (37.22, 172.85), "mean_diastolic_bp": (1.78, 126.17),
        "mean_bmi": (2.97, 73.58), "mean_weight": (4.55, 196.7),
    },
    "preliminary": {
        "AGE": (2, 110), "encounter_count": (4, 1133), "num_procedures": (0, 2472),
        "num_medications": (0, 6019), "num_immunizations": (0, 40), "num_allergies": (0, 16),
        "num_devices": (0, 164), "mean_systolic_bp": (37.32, 168.62), "mean_diastolic_bp": (5.99, 125.36),
        "mean_bmi": (2.73, 75.01), "mean_weight": (5.75, 208.1),
    },
}  # fmt: skip
"""The legal values of an upload, by the round whose ranges hold."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Texts = Mapping[str, Sequence[str]]
"""A table as the texts of its cells, columns in the order of the file."""
NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)", re.IGNORECASE)


class Lines(NamedTuple):
    """The rows of a table as they are in its file."""

    header: str
    rows: list[str]


def lines_of(source: BinaryIO) -> Lines:
    """The lines of a file, without a byte-order mark and whatever ends its lines."""
    text = source.read().decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n")
    header, *rows = text.split("\n")
    return Lines(header, rows)


def texts_of(lines: Lines) -> Texts:
    """
    >>> texts_of(Lines("AGE,RACE", ["45,white", "50,"]))
    {'AGE': ('45', '50'), 'RACE': ('white', '')}
    """
    names = lines.header.split(",")
    if not lines.rows:
        return dict.fromkeys(names, ())
    return dict(zip(names, zip(*(row.split(",") for row in lines.rows), strict=True), strict=True))


def read_texts(source: BinaryIO) -> Texts:
    return texts_of(lines_of(source))


def texts_in(box: Box, name: str) -> Texts:
    """A table of a box; what was read once is not read again."""
    return box.load(name, read_texts)


def lines_in(box: Box, name: str) -> Lines:
    return box.load(name, lines_of)


def number_of(cell: str) -> float:
    """The number in a cell, blanks around it tolerated; not a number where it is empty or a text.

    >>> number_of(" 45 "), number_of("1e1"), number_of("abc")
    (45.0, 10.0, nan)
    """
    text = cell.strip()
    return float(text) if NUMBER.fullmatch(text) else float("nan")


def numbers_of(cells: Sequence[str]) -> Floats:
    """The numbers of a column; every distinct text is read once."""
    known = {text: number_of(text) for text in set(cells)}
    return np.array([known[cell] for cell in cells], dtype=np.float64)
