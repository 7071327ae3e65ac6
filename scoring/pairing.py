"""Bringing an original and a release onto the same rows and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Codes, Integers


def row_blocks(n_rows: int, size: int = 1_000_000) -> Iterator[slice]:
    """Slices that cover all rows: temporary columns of a slice stay small, and close in memory."""
    return (slice(start, start + size) for start in range(0, n_rows, size))


def shared_codes(first: Coded, second: Coded) -> tuple[Codes, Codes, npt.NDArray[np.object_]]:
    """Recode two columns over the sorted union of their labels; the third result is that union."""
    if np.array_equal(first.labels, second.labels):
        return first.codes, second.codes, first.labels
    labels = sorted({*first.labels.tolist(), *second.labels.tolist()})
    place = {label: code for code, label in enumerate(labels)}
    recoded = []
    for column in (first, second):
        position = np.fromiter((place[label] for label in column.labels), np.int32, len(column.labels))
        # Labels are sorted, so a column that has them all is already coded over the union.
        recoded.append(column.codes if len(position) == len(labels) else position[column.codes])
    return recoded[0], recoded[1], np.asarray(labels, dtype=object)


def distinct_pairs(
    groups: npt.NDArray[Any], codes: npt.NDArray[Any], n_groups: int, n_codes: int
) -> npt.NDArray[Any]:
    """The distinct pairs (group, code) as sorted keys ``group * n_codes + code``.

    Keys that fit in 32 bits are kept there: half the memory, half the time to sort.

    >>> distinct_pairs(np.array([1, 0, 1]), np.array([2, 0, 2]), 2, 3).tolist()
    [0, 5]
    """
    keys = np.empty(len(groups), dtype=np.uint32 if n_groups * n_codes <= 2**32 else np.int64)
    for rows in row_blocks(len(groups)):
        keys[rows] = groups[rows].astype(np.int64) * n_codes + codes[rows]
    keys.sort()
    if len(keys) == 0:
        return keys
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]


def common_keys(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The keys that two sorted arrays of distinct keys share, in linear time.

    >>> common_keys(np.array([1, 3, 5]), np.array([3, 4, 5])).tolist()
    [3, 5]
    """
    both = np.concatenate([first, second])
    # A stable sort finds the two sorted runs and merges them in one pass.
    both.sort(kind="stable")
    return both[:-1][both[1:] == both[:-1]]


def largest(values: npt.NDArray[Any], count: int) -> Integers:
    """Positions of the largest values, largest first; ties go to the smaller position."""
    return np.argsort(-values, kind="stable")[:count].astype(np.int64)
