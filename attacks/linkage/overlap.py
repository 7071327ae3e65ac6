"""Groups of rows compared by the tokens that they share, for tables without a row per person."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from arithmetic import log1p
from attacks.linkage.feature_sets import Columns, shared_codes
from datasets.tables import NO_GUESS, Integers


def similarities(
    sizes: tuple[int, int], groups: tuple[npt.NDArray, npt.NDArray], columns: tuple[Columns, Columns]
) -> sparse.csr_array:
    """Weighted Jaccard similarity of every group on the left with every group on the right.

    A group is a set of tokens, the distinct tuples of the columns. A token that few groups on the left have
    weighs more: log(1 + n / holders).

    >>> groups = np.array([0, 0, 1]), np.array([0])
    >>> tokens = (np.array([5, 6, 7]),), (np.array([7]),)
    >>> similarities((2, 1), groups, tokens).toarray().round(3).tolist()
    [[0.0], [1.0]]
    """
    left_code, right_code, n_tokens = shared_codes(*columns)
    left = _incidence(sizes[0], groups[0], left_code, n_tokens)
    right = _incidence(sizes[1], groups[1], right_code, n_tokens)
    holders = np.asarray(left.sum(axis=0)).ravel()
    weight = log1p(sizes[0] / np.maximum(holders, 1.0))
    shared = (left.multiply(weight).tocsr() @ right.T).tocoo()
    total_left, total_right = left @ weight, right @ weight
    union = total_left[shared.coords[0]] + total_right[shared.coords[1]] - shared.data
    shape = (sizes[0], sizes[1])
    return sparse.coo_array((shared.data / union, shared.coords), shape=shape).tocsr()


def _incidence(n_groups: int, group: npt.NDArray, code: npt.NDArray, n_tokens: int) -> sparse.csr_array:
    ones = np.ones(len(group))
    table = sparse.coo_array((ones, (group, code)), shape=(n_groups, n_tokens)).tocsr()
    table.data[:] = 1.0
    return table


def nearest_columns(similarity: sparse.csr_array) -> Integers:
    """For every row the column of the largest entry, the smallest column on ties; `NO_GUESS` in an empty row.

    >>> nearest_columns(sparse.csr_array(np.array([[0.2, 0.5, 0.5], [0, 0, 0]]))).tolist()
    [1, -1]
    """
    best = np.full(similarity.shape[0], NO_GUESS, dtype=np.int64)
    for row in range(similarity.shape[0]):
        part = slice(similarity.indptr[row], similarity.indptr[row + 1])
        values, places = similarity.data[part], similarity.indices[part]
        if len(values):
            # Sums of floats differ in their last digits; what is equal on paper must tie here too.
            best[row] = places[values >= values.max() * (1 - 1e-12)].min()
    return best
