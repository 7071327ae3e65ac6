"""Snowballing linkage: link by what only one person has on each side, remove both, look again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from attacks.linkage.feature_sets import TokenSets, View
from datasets.tables import NO_GUESS, Codes, Integers


@dataclass(frozen=True, eq=False)
class Links:
    """``rows[i]`` is the row of M that row i of M′ was linked to, if any, and in which ``iteration``."""

    rows: Integers
    iteration: Integers


def nobody_linked(n_released: int) -> Links:
    return Links(np.full(n_released, NO_GUESS, dtype=np.int64), np.zeros(n_released, dtype=np.int64))


def snowball(view: View, known: Links) -> Links:
    """Extend the known links by all that the tokens of a view give, iteration after iteration.

    In each iteration, every token that exactly one unlinked person holds on each side is a vote that the two
    are one. Pairs that are each other's first choice are linked and removed with all their tokens, which may
    make further tokens unique. Of equally many votes the smallest row wins. A token is looked at again only
    when it lost a holder, so the work is linear in the number of incidences.
    """
    original = _Side(view.original, view.n_tokens)
    released = _Side(view.released, view.n_tokens)
    rows, iteration = known.rows.copy(), known.iteration.copy()
    linked = np.flatnonzero(rows != NO_GUESS)
    original.remove(rows[linked])
    released.remove(linked)
    changed = np.arange(view.n_tokens)
    now = int(iteration.max(initial=0))
    while len(changed):
        unique = changed[(original.count[changed] == 1) & (released.count[changed] == 1)]
        left, right = _mutual(original.sum[unique], released.sum[unique])
        now += 1
        rows[right], iteration[right] = left, now
        changed = np.union1d(original.remove(left), released.remove(right))
    return Links(rows, iteration)


class _Side:
    """How many active people hold each token, and the sum of their rows: with one holder, it is that row."""

    def __init__(self, sets: TokenSets, n_tokens: int) -> None:
        self.sets = sets
        owner = np.repeat(np.arange(sets.n_rows), np.diff(sets.start))
        self.count = np.bincount(sets.tokens, minlength=n_tokens)
        self.sum = np.zeros(n_tokens, dtype=np.int64)
        np.add.at(self.sum, sets.tokens, owner)

    def remove(self, people: Integers) -> Codes:
        """Take people out; return the tokens that lost a holder."""
        return _removed(self.sets.start, self.sets.tokens, people, self.count, self.sum)


@njit(cache=True)
def _removed(start: Integers, tokens: Codes, people: Integers, count: Integers, total: Integers) -> Codes:
    size = 0
    for person in people:
        size += start[person + 1] - start[person]
    touched = np.empty(size, dtype=tokens.dtype)
    size = 0
    for person in people:
        for place in range(start[person], start[person + 1]):
            count[tokens[place]] -= 1
            total[tokens[place]] -= person
            touched[size] = tokens[place]
            size += 1
    return touched


def _mutual(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Of pairs with repetitions (votes), those that are each other's first choice.

    >>> _mutual(np.array([4, 4, 5, 6]), np.array([1, 1, 1, 2]))
    (array([4, 6]), array([1, 2]))
    """
    if len(left) == 0:
        return left, right
    width = int(right.max()) + 1
    pairs, votes = np.unique(left * width + right, return_counts=True)
    left, right = np.divmod(pairs, width)
    chosen = np.zeros(len(pairs), dtype=np.int64)
    for mine, other in ((left, right), (right, left)):
        order = np.lexsort((other, -votes, mine))
        first = np.ones(len(order), dtype=bool)
        first[1:] = mine[order][1:] != mine[order][:-1]
        chosen[order[first]] += 1
    return left[chosen == 2], right[chosen == 2]
