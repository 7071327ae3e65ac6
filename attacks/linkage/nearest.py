"""Who is nearest? An exact search by weighted Jaccard similarity over an inverted index.

The similarity of a released set R and an original set C is J = w(R ∩ C) / w(R ∪ C), with whole weights, so
that similarities are compared without rounding. For each released person the index is read from the rarest
token on; reading stops once nobody still unseen can reach the best similarity found, and people whose size
alone rules them out are skipped. What is left is verified. Memory: the two sparse tables and the index.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numba import njit

from attacks.attack import Guess
from attacks.linkage.feature_sets import TokenSets, View, scrambled
from attacks.linkage.kernel import Index, Scratch, best_rows, scratch_for
from datasets.tables import Codes, Integers


def nearest(view: View) -> Guess:
    """Guess for every released person the most similar original one.

    q(i) = argmax_j J(C_j, R_i), smallest row on ties, with J(∅, ∅) = 1. Every tie class is listed; all who
    have nothing in common with anybody share one class that holds every row.
    """
    index, released = prepare(view)
    leader = leaders(released)
    asked, group = np.unique(leader, return_inverse=True)
    found = _search(index, scratch_for(index), released.start, released.tokens, asked)
    members, tie_class = _tie_classes(index, released, asked, *found)
    return Guess(found[0][group], tie_class[group], members)


def prepare(view: View) -> tuple[Index, TokenSets]:
    """Build the index, and the released sets in its numbering of tokens."""
    holders = np.bincount(view.original.tokens, minlength=view.n_tokens)
    by_holders = np.argsort(holders, kind="stable")
    rank = np.empty(view.n_tokens, dtype=np.int32)
    rank[by_holders] = np.arange(view.n_tokens, dtype=np.int32)
    weights = view.weights[by_holders]
    original, released = (_renumbered(sets, rank) for sets in (view.original, view.released))
    sizes = [_row_weights(sets.start, sets.tokens, weights) for sets in (original, released)]
    heaviest = max(int(size.max(initial=0)) for size in sizes)
    if heaviest >= 2**30:
        raise OverflowError(f"The weights of one person must sum to less than 2**30. Got {heaviest}.")
    row_of = np.argsort(sizes[0], kind="stable")
    start, tokens = _reordered(original.start, original.tokens, row_of)
    posting_start, postings = _inverted(start, tokens, view.n_tokens)
    return Index(
        row_of, sizes[0][row_of].astype(np.int32), start, tokens, posting_start, postings, weights
    ), released


def leaders(sets: TokenSets) -> Integers:
    """For every row the first row that holds the same set, so that equal rows are searched once."""
    marks = _row_marks(sets.start, sets.tokens)
    _, first, group = np.unique(marks, return_index=True, return_inverse=True)
    leader = first[group]
    if _all_equal(sets.start, sets.tokens, leader):
        return leader
    return np.arange(sets.n_rows)


def _tie_classes(
    index: Index, released: TokenSets, asked: Integers, first: Integers, count: Integers, mark: Integers
) -> tuple[tuple[Integers, ...], Integers]:
    """List the members of every tie class once; equal classes are recognised by their mark."""
    _, example, tie_class = np.unique(mark, return_index=True, return_inverse=True)
    alike = example[tie_class]
    if (first != first[alike]).any() or (count != count[alike]).any():
        example = tie_class = np.arange(len(asked))
    begin = np.concatenate([[0], np.cumsum(count[example])])
    rows = _list_ties(
        index, scratch_for(index), released.start, released.tokens, asked[example], first[example], begin
    )
    return tuple(rows[low:high] for low, high in pairwise(begin.tolist())), tie_class


@njit(cache=True)
def _search(
    index: Index, scratch: Scratch, start: Integers, tokens: Codes, asked: Integers
) -> tuple[Integers, Integers, Integers]:
    """For every asked row of M′: the first nearest row of M, how many there are, and a mark of them all."""
    first = np.zeros(len(asked), dtype=np.int64)
    count = np.empty(len(asked), dtype=np.int64)
    mark = np.zeros(len(asked), dtype=np.int64)
    for k in range(len(asked)):
        n_ties = best_rows(index, tokens[start[asked[k]] : start[asked[k] + 1]], scratch)
        count[k] = n_ties
        if n_ties == 0:
            count[k] = len(index.row_of)
            continue
        first[k] = scratch.ties[:n_ties].min()
        for row in scratch.ties[:n_ties]:
            mark[k] += scrambled(row)
    return first, count, mark


@njit(cache=True)
def _list_ties(
    index: Index,
    scratch: Scratch,
    start: Integers,
    tokens: Codes,
    asked: Integers,
    first: Integers,
    begin: Integers,
) -> Integers:
    """The members of each asked row's tie class, ascending, one class after another."""
    rows = np.empty(begin[-1], dtype=np.int64)
    for k in range(len(asked)):
        members = rows[begin[k] : begin[k + 1]]
        if len(members) == 1:
            members[0] = first[k]
            continue
        n_ties = best_rows(index, tokens[start[asked[k]] : start[asked[k] + 1]], scratch)
        if n_ties == 0:
            members[:] = np.arange(len(members))
        else:
            members[:] = np.sort(scratch.ties[:n_ties])
    return rows


def _renumbered(sets: TokenSets, rank: Codes) -> TokenSets:
    return TokenSets(sets.start, _renumber_rows(sets.start, sets.tokens, rank))


@njit(cache=True)
def _renumber_rows(start: Integers, tokens: Codes, rank: Codes) -> Codes:
    renumbered = rank[tokens]
    for row in range(len(start) - 1):
        renumbered[start[row] : start[row + 1]].sort()
    return renumbered


@njit(cache=True)
def _row_weights(start: Integers, tokens: Codes, weights: Integers) -> Integers:
    total = np.zeros(len(start) - 1, dtype=np.int64)
    for row in range(len(total)):
        for place in range(start[row], start[row + 1]):
            total[row] += weights[tokens[place]]
    return total


@njit(cache=True)
def _row_marks(start: Integers, tokens: Codes) -> Integers:
    mark = np.zeros(len(start) - 1, dtype=np.int64)
    for row in range(len(mark)):
        for place in range(start[row], start[row + 1]):
            mark[row] += scrambled(tokens[place])
    return mark


@njit(cache=True)
def _all_equal(start: Integers, tokens: Codes, leader: Integers) -> bool:
    for row in range(len(leader)):
        length = start[row + 1] - start[row]
        if start[leader[row] + 1] - start[leader[row]] != length:
            return False
        for place in range(length):
            if tokens[start[row] + place] != tokens[start[leader[row]] + place]:
                return False
    return True


@njit(cache=True)
def _reordered(start: Integers, tokens: Codes, order: Integers) -> tuple[Integers, Codes]:
    """The same sets with row ``order[k]`` in place k."""
    moved_start = np.zeros_like(start)
    moved = np.empty_like(tokens)
    for k in range(len(order)):
        row = order[k]
        moved_start[k + 1] = moved_start[k] + start[row + 1] - start[row]
        moved[moved_start[k] : moved_start[k + 1]] = tokens[start[row] : start[row + 1]]
    return moved_start, moved


@njit(cache=True)
def _inverted(start: Integers, tokens: Codes, n_tokens: int) -> tuple[Integers, Codes]:
    """For every token the rows that hold it, ascending."""
    begin = np.zeros(n_tokens + 1, dtype=np.int64)
    for token in tokens:
        begin[token + 1] += 1
    begin = np.cumsum(begin)
    cursor = begin.copy()
    postings = np.empty(len(tokens), dtype=np.int32)
    for row in range(len(start) - 1):
        for place in range(start[row], start[row + 1]):
            token = tokens[place]
            postings[cursor[token]] = row
            cursor[token] += 1
    return begin, postings
