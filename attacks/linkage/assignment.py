"""One-to-one matching: P never repeats a row, so neither should a guess."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from attacks.linkage.candidates import Candidates
from datasets.tables import NO_GUESS, Integers

Floats = npt.NDArray[np.float64]

DENSE_LIMIT = 4096**2
"""Up to this many pairs of people the whole matrix of similarities is matched: 128 MiB."""


def match_all(similarity: Floats) -> Integers:
    """The one-to-one guess with the greatest sum of similarities (released × original), optimal.

    Where M′ has more rows than M, those left over get no guess.

    >>> match_all(np.array([[0.9, 0.8], [0.9, 0.1]])).tolist()
    [1, 0]
    """
    # Every process of the platform imports this module; few need this part of SciPy, which loads slowly.
    from scipy.optimize import linear_sum_assignment

    rows = np.full(len(similarity), NO_GUESS, dtype=np.int64)
    released, original = linear_sum_assignment(similarity, maximize=True)
    rows[released] = original
    return rows


def match_listed(listed: Candidates, n_original: int) -> Integers:
    """The one-to-one guess with the greatest sum of similarities among the listed candidates, optimal.

    Those left without a candidate get the free rows of M in ascending order.

    >>> lists = Candidates(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([0.9, 0.8, 0.9]))
    >>> match_listed(lists, 3).tolist()
    [1, 0]
    """
    n_released = len(listed.start) - 1
    # Every row may also take a place of its own at similarity 0, so that a full matching always exists.
    own = np.arange(n_released)
    owner = np.repeat(own, np.diff(listed.start))
    cost = np.concatenate([2.0 - listed.similarity, np.full(n_released, 2.0)])
    places = (np.concatenate([owner, own]), np.concatenate([listed.rows, n_original + own]))
    shape = (n_released, n_original + n_released)
    matched, column = min_weight_full_bipartite_matching(sparse.csr_matrix((cost, places), shape=shape))
    rows = np.full(n_released, NO_GUESS, dtype=np.int64)
    rows[matched] = np.where(column < n_original, column, NO_GUESS)
    return filled(rows, n_original)


def filled(rows: Integers, n_original: int) -> Integers:
    """Give rows without a guess the rows of M that nobody took, in ascending order, as far as they go.

    >>> filled(np.array([2, NO_GUESS, NO_GUESS]), 3).tolist()
    [2, 0, 1]
    """
    taken = np.zeros(n_original, dtype=bool)
    taken[rows[rows != NO_GUESS]] = True
    empty, free = np.flatnonzero(rows == NO_GUESS), np.flatnonzero(~taken)
    n_filled = min(len(empty), len(free))
    rows = rows.copy()
    rows[empty[:n_filled]] = free[:n_filled]
    return rows
