"""Lists of likely originals for every released person, with their similarities: what matching works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from attacks.linkage.feature_sets import TokenSets, View
from attacks.linkage.kernel import Index, Scratch, scratch_for, verified
from attacks.linkage.nearest import prepare
from datasets.tables import Codes, Integers

Floats = npt.NDArray[np.float64]

READ_LIMIT = 20_000
"""Index entries read for one released person before the commonest tokens no longer add candidates."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Released row i may be ``rows[start[i]:start[i + 1]]``, ascending; ``similarity`` is parallel to it."""

    start: Integers
    rows: Integers
    similarity: Floats


def similarity_matrix(view: View) -> Floats:
    """All weighted Jaccard similarities, released × original: for some thousand people."""
    original, released = (_matrix(sets, view.n_tokens) for sets in (view.original, view.released))
    weighted = original.multiply(view.weights[None, :]).tocsr()
    common = (released @ weighted.T).toarray()
    sizes = released @ view.weights, original @ view.weights
    union = sizes[0][:, None] + sizes[1][None, :] - common
    return np.where(union > 0, common / np.maximum(union, 1), 1.0)


def _matrix(sets: TokenSets, n_tokens: int) -> sparse.csr_matrix:
    ones = np.ones(len(sets.tokens))
    return sparse.csr_matrix((ones, sets.tokens, sets.start), shape=(sets.n_rows, n_tokens))


def candidates(view: View, most: int) -> Candidates:
    """Up to ``most`` of the most similar originals of every released person, by weighted Jaccard.

    Exact as long as a person's tokens have at most `READ_LIMIT` entries in the index; beyond that, an
    original that shares only common tokens with the person may be missed. The similarities are exact.
    """
    index, released = prepare(view)
    count, rows, similarity = _listed(index, scratch_for(index), released.start, released.tokens, most)
    kept = np.arange(most)[None, :] < count[:, None]
    start = np.concatenate([[0], np.cumsum(count)])
    listed, values = rows[kept].astype(np.int64), similarity[kept]
    order = np.lexsort((listed, np.repeat(np.arange(len(count)), count)))
    return Candidates(start, listed[order], values[order])


@njit(cache=True)
def _listed(
    index: Index, scratch: Scratch, start: Integers, tokens: Codes, most: int
) -> tuple[Integers, Codes, Floats]:
    n_rows = len(start) - 1
    count = np.zeros(n_rows, dtype=np.int64)
    rows = np.zeros((n_rows, most), dtype=np.int32)
    similarity = np.zeros((n_rows, most))
    looks = np.empty(len(index.row_of))
    for row in range(n_rows):
        query = tokens[start[row] : start[row + 1]]
        weight = 0
        for token in query:
            weight += index.weights[token]
            scratch.wanted[token] = index.weights[token]
        n_touched, last = _touch(index, query, scratch, most)
        for k in range(n_touched):
            found = scratch.touched[k]
            common = scratch.overlap[found]
            looks[k] = common / (weight + index.size[found] - common)
        least = 0.0
        if n_touched > most:
            least = np.partition(looks[:n_touched], n_touched - most)[n_touched - most]
        # First those above the threshold, then as many at the threshold as still fit.
        for above in (True, False):
            for k in range(n_touched):
                if count[row] < most and (looks[k] > least if above else looks[k] == least):
                    found = int(scratch.touched[k])
                    common = verified(index, found, scratch, last)
                    rows[row, count[row]] = index.row_of[found]
                    similarity[row, count[row]] = common / (weight + index.size[found] - common)
                    count[row] += 1
        for k in range(n_touched):
            scratch.overlap[scratch.touched[k]] = 0
        for token in query:
            scratch.wanted[token] = 0
    return count, rows, similarity


@njit(cache=True)
def _touch(index: Index, query: Codes, scratch: Scratch, most: int) -> tuple[int, int]:
    """Count overlaps from the rarest token on, up to the limit; return how many sets and the last token."""
    n_touched, work, last = 0, 0, -1
    for token in query:
        begin, end = index.posting_start[token], index.posting_start[token + 1]
        if work + end - begin > READ_LIMIT and n_touched >= most:
            break
        for place in range(begin, end):
            found = index.postings[place]
            scratch.touched[n_touched] = found
            n_touched += scratch.overlap[found] == 0
            scratch.overlap[found] += index.weights[token]
        work += end - begin
        last = token
    return n_touched, last
