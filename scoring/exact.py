"""Exact sums of whole numbers, which are the same in every row order and on every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[Any]
"""Whole numbers: int64, or Python integers (dtype object) where int64 could overflow."""


FLOAT_EXACT = 2**53
"""Below this every whole number, and so every partial sum, is exact in double precision."""


INT64_LIMIT = 2**63


def exact_sums(groups: npt.NDArray[Any], values: Whole, n_groups: int) -> Whole:
    """Add up whole numbers by group.

    >>> exact_sums(np.array([1, 0, 1]), np.array([5, 7, 2]), 3).tolist()
    [7, 7, 0]
    >>> exact_sums(np.array([0, 0]), np.array([2**62, 2**62]), 1).tolist() == [2**63]
    True
    """
    bound = len(values) * magnitude(values)
    if bound < FLOAT_EXACT:
        return np.bincount(groups, weights=values, minlength=n_groups).astype(np.int64)
    sums = np.zeros(n_groups, dtype=np.int64 if bound < INT64_LIMIT else object)
    np.add.at(sums, groups, values.astype(sums.dtype, copy=False))
    return sums


def magnitude(values: Whole) -> int:
    """The largest absolute value, as a Python integer; 0 of nothing."""
    if len(values) == 0:
        return 0
    return max(abs(int(values.max())), abs(int(values.min())))
