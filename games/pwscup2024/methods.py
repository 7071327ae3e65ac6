"""The house's methods: tables made from a team's own, for entries of the house and to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from games.contract.tables import Columns

from .layout import ATTRIBUTES, RATINGS, Layout

File = dict[str, np.ndarray]


def unchanged(file: File, share: float, rng: np.random.Generator) -> File:
    return file


def swap(file: File, share: float, rng: np.random.Generator) -> File:
    """Permute a share of the cells of every column among themselves."""
    return {name: _swapped(column, share, rng) for name, column in file.items()}


def redraw(file: File, share: float, rng: np.random.Generator) -> File:
    """Draw a share of the ratings again, each value with the same chance."""
    return {
        name: column if name in ATTRIBUTES else _redrawn(column, share, rng) for name, column in file.items()
    }


def scatter(file: File, share: float, rng: np.random.Generator) -> File:
    """Swap, and put the rows into an order of this file's own."""
    order = rng.permutation(len(file["Age"]))
    return {name: column[order] for name, column in swap(file, share, rng).items()}


def _swapped(column: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    chosen = np.flatnonzero(rng.random(len(column)) < share)
    swapped = column.copy()
    swapped[chosen] = column[rng.permutation(chosen)]
    return swapped


def _redrawn(column: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    drawn = rng.integers(0, RATINGS, len(column))
    return np.where(rng.random(len(column)) < share, drawn, column)


METHODS: dict[str, Callable[[File, float, np.random.Generator], File]] = {
    "unchanged": unchanged,
    "swap": swap,
    "redraw": redraw,
    "scatter": scatter,
}


def projections(
    name: str, table: Columns, layout: Layout, share: float, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    """The ten files of an entry that a method makes, each by itself."""
    for names in layout.projections:
        yield METHODS[name]({column: table[column] for column in names}, share, rng)
