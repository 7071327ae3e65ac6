"""Bringing an original and a release onto the same rows, items and receipts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from datasets.tables import Coded, Codes, Dataset, Integers


def checked_truth(original: Dataset, released: Dataset, truth: npt.ArrayLike) -> Integers:
    """The truth as an array, after making sure that it pairs every row of M′ with its own row of M."""
    rows = np.asarray(truth, dtype=np.int64)
    if rows.shape != (released.n_customers,):
        raise ValueError(
            f"The truth must have one entry a row of M′, {released.n_customers}. Got {rows.size} instead."
        )
    if rows.size and (rows.min() < 0 or rows.max() >= original.n_customers):
        raise ValueError(
            f"The truth must name 0-based rows of M, 0 to {original.n_customers - 1}. "
            f"Got {rows.min()} to {rows.max()} instead."
        )
    if len(np.unique(rows)) != len(rows):
        raise ValueError("The truth must name no row of M twice.")
    return rows


def shared_codes(first: Coded, second: Coded) -> tuple[Codes, Codes, npt.NDArray[np.object_]]:
    """Recode two columns over the sorted union of their labels; the third result is that union."""
    labels = np.asarray(sorted({*first.labels.tolist(), *second.labels.tolist()}), dtype=object)
    index = pd.Index(labels, dtype=object)
    recoded = []
    for column in (first, second):
        position = index.get_indexer(pd.Index(column.labels, dtype=object)).astype(np.int32)
        recoded.append(position[column.codes])
    return recoded[0], recoded[1], labels


def distinct_pairs(groups: npt.NDArray[Any], codes: npt.NDArray[Any], n_codes: int) -> Integers:
    """The distinct pairs (group, code) as sorted keys ``group * n_codes + code``.

    >>> distinct_pairs(np.array([1, 0, 1]), np.array([2, 0, 2]), 3).tolist()
    [0, 5]
    """
    keys = groups.astype(np.int64)
    keys *= n_codes
    keys += codes
    keys.sort()
    return keys if len(keys) == 0 else keys[np.r_[True, keys[1:] != keys[:-1]]]


def largest(values: npt.NDArray[Any], count: int) -> Integers:
    """Positions of the largest values, largest first; ties go to the smaller position."""
    return np.argsort(-values, kind="stable")[:count].astype(np.int64)
