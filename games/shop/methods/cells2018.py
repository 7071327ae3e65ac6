"""Tables A of 2018: T with every cell a value; columns as intervals; rows deleted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers, frozen
from games.shop.data.pwscup2018 import INTERVAL, VALUE, ItemCells, RangeCells, Release2018, Sheet2018
from games.shop.data.release2018 import spread_release, take_release

FIRST_NUMBER = 100_000


def numbered(original: Sheet2018, rng: np.random.Generator) -> Release2018:
    """T under random numbers in place of the customers' ids."""
    n = original.id.n_labels
    names = np.array([str(FIRST_NUMBER + number) for number in range(n)], dtype=object)
    place = rng.permutation(n).astype(np.int32)
    none = np.zeros(original.n_rows, dtype=np.bool_)
    items = tuple((label,) for label in original.item.labels.tolist())
    return Release2018(
        id=Coded.of(place[original.id.codes], names),
        deleted=frozen(none),
        day=values(original.day),
        item=ItemCells(frozen(np.full(original.n_rows, VALUE, dtype=np.uint8)), original.item.codes, items),
        price=values(original.price),
        quantity=values(original.quantity),
    )


def values(column: npt.NDArray) -> RangeCells:
    """A column of numbers as it is."""
    numbers = frozen(column.astype(np.int64))
    return RangeCells(frozen(np.full(len(column), VALUE, dtype=np.uint8)), numbers, numbers)


def intervals(column: npt.NDArray, width: int, lowest: int = 0) -> RangeCells:
    """Every number as the interval of a grid of this width that holds it.

    >>> cells = intervals(np.array([7, 13]), 7)
    >>> cells.low.tolist(), cells.high.tolist()
    ([7, 7], [13, 13])
    """
    if width == 1:
        return values(column)
    low: Integers = (column.astype(np.int64) - lowest) // width * width + lowest
    kind = np.full(len(column), INTERVAL, dtype=np.uint8)
    return RangeCells(frozen(kind), frozen(low), frozen(low + width - 1))


def without(release: Release2018, gone: npt.NDArray) -> Release2018:
    """The same A with these rows deleted."""
    kept = np.setdiff1d(np.arange(release.n_rows), gone)
    return spread_release(take_release(release, kept), kept, release.n_rows)
