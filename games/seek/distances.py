"""Distances between rows of tables that mix numbers and categories (Gower 1971)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns
from games.seek.roc import Floats

CELLS = 2_000_000
"""Distances that are held in memory at once."""


class Rows(NamedTuple):
    """Rows whose numbers are scaled so that each column has the range 1, and whose categories are codes."""

    numbers: Floats
    codes: npt.NDArray[np.int64]


def comparable(tables: Sequence[Columns], names: Sequence[str], categories: Collection[str]) -> list[Rows]:
    """The same columns of several tables as rows with a common scale and common codes."""
    lengths = [len(table[names[0]]) for table in tables]
    ends = np.cumsum(lengths)[:-1]
    numbers, codes = [], []
    for name in names:
        together = np.concatenate([table[name] for table in tables])
        if name in categories:
            codes.append(np.unique(together.astype(str), return_inverse=True)[1].reshape(-1))
        else:
            values = together.astype(float)
            span = values.max(initial=-np.inf) - values.min(initial=np.inf)
            numbers.append(values / span if span > 0 else np.zeros(len(values)))
    whole = sum(lengths)
    number_rows = np.split(np.reshape(numbers, (-1, whole)).T, ends)
    code_rows = np.split(np.reshape(codes, (-1, whole)).T.astype(np.int64), ends)
    return [Rows(left, right) for left, right in zip(number_rows, code_rows, strict=True)]


def gower(points: Rows, rows: Rows) -> Floats:
    """The mean over the columns of |x − y| / range for numbers and of x ≠ y for categories.

    >>> points, rows = comparable([{"a": np.array([0.0]), "b": np.array(["x"])},
    ...                            {"a": np.array([4.0, 0.0]), "b": np.array(["x", "y"])}], ["a", "b"], {"b"})
    >>> gower(points, rows).tolist()
    [[0.5, 0.5]]
    """
    total = np.zeros((len(points.codes), len(rows.codes)))
    for column in range(points.numbers.shape[1]):
        total += np.abs(points.numbers[:, column, None] - rows.numbers[None, :, column])
    for column in range(points.codes.shape[1]):
        total += points.codes[:, column, None] != rows.codes[None, :, column]
    return total / (points.numbers.shape[1] + points.codes.shape[1])


def _blocks(points: Rows, rows: Rows) -> Iterator[Floats]:
    step = max(1, CELLS // max(1, len(rows.codes)))
    for start in range(0, len(points.codes), step):
        part = slice(start, start + step)
        yield gower(Rows(points.numbers[part], points.codes[part]), rows)


def nearest(points: Rows, rows: Rows, k: int) -> Floats:
    """The distances of each point to its k nearest rows, the smallest first; fewer where there are fewer."""
    k = min(k, len(rows.codes))
    blocks = [np.sort(np.partition(block, k - 1, axis=1)[:, :k], axis=1) for block in _blocks(points, rows)]
    return np.concatenate(blocks) if blocks else np.zeros((0, k))


def count_within(points: Rows, rows: Rows, radius: float) -> npt.NDArray[Any]:
    """How many rows each point has at this distance or less."""
    counts = [(block <= radius).sum(axis=1) for block in _blocks(points, rows)]
    return np.concatenate(counts) if counts else np.zeros(0, dtype=np.int64)


def closest(wanted: Floats, public: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The nearest of the public values, the smaller of two.

    >>> closest(np.array([-1.0, 2.0, 2.6]), np.array([3, 1, 1])).tolist()
    [1, 1, 3]
    """
    values = np.unique(public)
    after = np.clip(np.searchsorted(values, wanted), 1, max(1, len(values) - 1))
    before, after = after - 1, np.minimum(after, len(values) - 1)
    return np.where(wanted - values[before] <= values[after] - wanted, values[before], values[after])
