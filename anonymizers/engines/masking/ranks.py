"""Ranks and the normal scores made of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anonymizers.engines.masking.grid import Floats

Rows = npt.NDArray[np.int64]


def shuffled_rows(order: Rows, drawn: npt.NDArray, rng: np.random.Generator) -> Rows:
    """For every row the row of the original value with the rank of its drawn value, ties in random order.

    ``order`` lists the rows by rising original value.

    >>> rows = shuffled_rows(np.array([0, 2, 1]), np.array([0.3, 0.1, 0.2]), np.random.default_rng(1))
    >>> rows.tolist()
    [1, 0, 2]
    """
    mixed = rng.permutation(len(drawn))
    places = mixed[np.argsort(drawn[mixed], kind="stable")]
    rows = np.empty(len(drawn), dtype=np.int64)
    rows[places] = order
    return rows


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean.

    >>> average_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    smaller, no_larger = tie_bounds(values)
    return (smaller + no_larger + 1) / 2


def tie_bounds(values: Floats, order: Rows | None = None) -> tuple[Rows, Rows]:
    """For every value, how many are smaller and how many are no larger; ``order`` sorts them if given.

    >>> [part.tolist() for part in tie_bounds(np.array([3.0, 1.0, 3.0]))]
    [[1, 0, 1], [3, 1, 3]]
    """
    order = np.argsort(values, kind="stable") if order is None else order
    ordered = values[order]
    first = np.ones(len(values), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    start = np.flatnonzero(first)
    group = np.empty(len(values), dtype=np.int64)
    group[order] = np.cumsum(first) - 1
    return start[group], np.append(start[1:], len(values))[group]
