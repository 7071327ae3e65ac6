"""How well an entry keeps the joint counts of every two columns, one of which is a movie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from games.contract.tables import Columns

from .layout import ATTRIBUTES, Integers


def largest_difference(before: Columns, after: Columns, names: Sequence[str]) -> int:
    """The largest Σ |count − count′| over the joint values of two columns, except two attributes.

    >>> before = {"Age": np.array([1, 1, 18]), "260": np.array([5, 0, 0])}
    >>> after = {"Age": np.array([1, 18, 18]), "260": np.array([5, 0, 0])}
    >>> largest_difference(before, after, ("Age", "260"))
    2
    """
    coded = {name: _coded(before[name], after[name]) for name in names}
    pairs = [pair for pair in combinations(names, 2) if not set(pair) <= set(ATTRIBUTES)]
    return max(_difference(*coded[first], *coded[second]) for first, second in pairs)


def _coded(before: np.ndarray, after: np.ndarray) -> tuple[Integers, Integers]:
    """Both columns as codes of the values that occur in either."""
    _, codes = np.unique(np.concatenate([before, after]), return_inverse=True)
    return codes[: len(before)], codes[len(before) :]


def _difference(first: Integers, first_after: Integers, second: Integers, second_after: Integers) -> int:
    width = 1 + int(max(second.max(), second_after.max()))
    size = width * (1 + int(max(first.max(), first_after.max())))
    before = np.bincount(first * width + second, minlength=size)
    after = np.bincount(first_after * width + second_after, minlength=size)
    return int(np.abs(before - after).sum())


def utility_of(difference: int, n_rows: int) -> float:
    """100·(1 − difference / (2·rows)) with three decimals, in whole numbers, half up.

    >>> utility_of(2272, 10_000), utility_of(0, 10_000), utility_of(2, 3)
    (88.64, 100.0, 66.667)
    """
    kept = 2 * n_rows - difference
    return ((100_000 * kept * 2 + 2 * n_rows) // (2 * 2 * n_rows)) / 1000


def utilities(table: Columns, upload: Sequence[Columns], projections: Sequence[Sequence[str]]) -> list[float]:
    """The utility of each file of an entry; that of the entry is the smallest."""
    n_rows = len(table["Age"])
    return [
        utility_of(largest_difference(table, file, names), n_rows)
        for file, names in zip(upload, projections, strict=True)
    ]
