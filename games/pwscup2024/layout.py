"""The columns of the tables, as the declaration of the files has them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from games.contract.declaration import Declaration
from games.contract.tables import Columns, read_columns
from games.contract.values import Box

NAME = "Name"
ATTRIBUTES = ("Gender", "Age", "Occupation", "ZIP-code")
N_FILES = 10
N_ALTERNATIVES = 3
RATINGS = 6
"""Ratings run from 0, not rated, to 5."""

Integers = npt.NDArray[np.int64]


class Layout(NamedTuple):
    """The movies of a table, and for each of the ten files its columns."""

    movies: tuple[str, ...]
    projections: tuple[tuple[str, ...], ...]

    @property
    def table(self) -> tuple[str, ...]:
        return (NAME, *ATTRIBUTES, *self.movies)


@lru_cache(maxsize=8)
def layout_of(columns: tuple[tuple[str, ...], ...]) -> Layout:
    return Layout(columns[0], columns[1:])


def layout(declaration: Declaration) -> Layout:
    """The movies are the columns of b.csv; the files of an upload name their own."""
    return layout_of(tuple(_names(declaration, name) for name in ("b.csv", *upload_names())))


def upload_names() -> tuple[str, ...]:
    return tuple(f"C_{number}.csv" for number in range(N_FILES))


def read_upload(declaration: Declaration, box: Box) -> list[Columns]:
    """The ten files of an entry, as uploaded or as published."""
    return [read_columns(declaration, box, name) for name in upload_names()]


def matrix(columns: Columns, names: Sequence[str]) -> Integers:
    """Whole-number columns side by side, one row per line."""
    return np.column_stack([columns[name] for name in names]).astype(np.int64)


def _names(declaration: Declaration, file: str) -> tuple[str, ...]:
    found = declaration.file(file, "entry")
    assert found is not None, file
    return tuple(column.name for column in found.columns)
