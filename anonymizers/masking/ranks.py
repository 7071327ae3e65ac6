"""Ranks and the normal scores made of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anonymizers.masking.grid import Floats


def shuffled_rows(originals: Floats, drawn: Floats, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """For every row the row of the original value with the rank of its drawn value, ties in random order.

    >>> rows = shuffled_rows(np.array([5.0, 7.0, 6.0]), np.array([0.3, 0.1, 0.2]), np.random.default_rng(1))
    >>> rows.tolist()
    [1, 0, 2]
    """
    tie_breaker = rng.random(len(drawn))
    places = np.lexsort((tie_breaker, drawn))
    rows = np.empty(len(drawn), dtype=np.int64)
    rows[places] = np.argsort(originals, kind="stable")
    return rows


def average_ranks(values: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean.

    >>> average_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    start = np.flatnonzero(first)
    end = np.append(start[1:], len(values))
    ranks = np.empty(len(values))
    ranks[order] = ((start + end + 1) / 2)[np.cumsum(first) - 1]
    return ranks
