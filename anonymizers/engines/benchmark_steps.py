"""The steps of the benchmark protections on plain arrays; methods for entries and for tables share them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from datasets.tables import Codes, Integers


def equal_groups(units: sparse.csr_matrix, k: int, rng: np.random.Generator) -> Integers:
    """Groups of k by repeated choice: a random person and the nearest k − 1; the last takes the rest."""
    n = units.shape[0]
    norms = np.asarray(units.multiply(units).sum(axis=1)).ravel()
    group = np.zeros(n, dtype=np.int64)
    left = rng.permutation(n)
    for number in range(max(1, n // k)):
        if len(left) < 2 * k:
            group[left] = number
            break
        away = norms[left] - 2 * (units[left] @ units[left[0]].T).toarray().ravel()
        away[0] = -np.inf
        nearest = np.argsort(away, kind="stable")[:k]
        group[left[nearest]] = number
        left = np.delete(left, nearest)
    return group


def distinct_holders(keys: Integers, person: np.ndarray) -> Integers:
    """For every row: how many different people hold the row's key.

    >>> distinct_holders(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 5])).tolist()
    [2, 2, 2, 1]
    """
    held, _ = distinct_pairs(keys, person)
    return np.bincount(held, minlength=int(keys.max(initial=-1)) + 1)[keys]


def spread_of_decile(values: Integers | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The standard deviation of the decile that each value belongs to.

    >>> spread_of_decile(np.array([1, 1, 1, 3, 3, 3])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    edges = np.unique(np.quantile(values, np.arange(1, 10) / 10))
    bins = np.searchsorted(edges, values, side="left")
    count = np.maximum(np.bincount(bins, minlength=len(edges) + 1), 1)
    mean = np.bincount(bins, weights=values, minlength=len(edges) + 1) / count
    variance = np.bincount(bins, weights=(values - mean[bins]) ** 2, minlength=len(edges) + 1) / count
    return np.sqrt(variance)[bins]


def partners(n_rows: int, share: float, rng: np.random.Generator) -> Integers:
    """With whom every row exchanges its value: itself, or its partner among a share of the rows.

    >>> source = partners(10, 0.5, np.random.default_rng(1))
    >>> source[source].tolist() == list(range(10)), int((source != np.arange(10)).sum())
    (True, 4)
    """
    pairs = round(share * n_rows) // 2
    drawn = rng.permutation(n_rows)[: 2 * pairs]
    source = np.arange(n_rows)
    source[drawn[:pairs]], source[drawn[pairs:]] = drawn[pairs:], drawn[:pairs]
    return source


def distinct_pairs(first: Integers, second: Integers | Codes) -> tuple[Integers, Integers]:
    """Every pair of natural numbers that occurs, once, in ascending order.

    >>> [column.tolist() for column in distinct_pairs(np.array([1, 0, 1]), np.array([2, 5, 2]))]
    [[0, 1], [5, 2]]
    """
    width = int(second.max(initial=0)) + 1
    pairs = np.unique(first.astype(np.int64) * width + second)
    return pairs // width, pairs % width
