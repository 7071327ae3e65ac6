"""Who may become a guest of which safe row, and at what distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Floats, Problem, pointers
from datasets.tables import Integers


class Guests(NamedTuple):
    """Pairs of a deficient incidence and a safe row, in groups of one person and one safe row.

    A person with p incidences to move needs at most its p nearest free safe rows, for the p − 1 others can
    be on p − 1 of them. Prices above ``cap`` would need more pairs than are listed.
    """

    incidence: Integers
    row: Integers
    cost: Floats
    groups: Integers
    live: Integers
    """The deficient incidences."""
    cap: Floats
    """By incidence, the highest price for which the pairs suffice."""
    first: Floats
    """By incidence, the cost of the nearest free safe row; infinite where there is none."""


def guests_of(problem: Problem, near: Neighbours) -> Guests:
    """List the pairs of every deficient incidence."""
    live = np.flatnonzero(near.index[problem.row] >= 0)
    busy = np.bincount(problem.person[live], minlength=problem.n_people)
    order = np.argsort(problem.person, kind="stable")
    begins = pointers(problem.person[order], problem.n_people)
    whole = near.n_safe == int((near.index < 0).sum())
    size = int(np.minimum(busy[problem.person[live]], near.n_safe).sum())
    incidence, row = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    cost, cap, first = np.empty(size), np.zeros(problem.size), np.full(problem.size, np.inf)
    used = _list_pairs(
        live, busy, problem.row, problem.person, order, begins, near.index, near.safe, near.safe_cost, whole,
        incidence, row, cost, cap, first,
    )  # fmt: skip
    if near.loose and not whole:
        # The lists are approximate there, so only prices below every safe distance are covered by them.
        cap[live] = near.floor[near.index[problem.row[live]]]
    incidence, row, cost = incidence[:used], row[:used], cost[:used]
    sorting = np.lexsort((row, problem.person[incidence]))
    key = problem.person[incidence][sorting] * problem.n_rows + row[sorting]
    groups = np.append(np.flatnonzero(np.diff(key, prepend=-1)), used).astype(np.int64)
    return Guests(incidence[sorting], row[sorting], cost[sorting], groups, live, cap, first)


@njit(cache=True)
def _list_pairs(
    live: Integers, busy: Integers, home: Integers, person: Integers, order: Integers, begins: Integers,
    index: Integers, safe: Integers, safe_cost: Floats, whole: bool,
    incidence: Integers, row: Integers, cost: Floats, cap: Floats, first: Floats,
) -> int:  # fmt: skip
    n = 0
    for e in live:
        p, i, wanted = person[e], index[home[e]], busy[person[e]]
        cap[e] = np.inf if whole else safe_cost[i, safe.shape[1] - 1]
        for j in range(safe.shape[1]):
            free = True
            for o in range(begins[p], begins[p + 1]):
                if home[order[o]] == safe[i, j]:
                    free = False
                    break
            if not free:
                continue
            incidence[n], row[n], cost[n] = e, safe[i, j], safe_cost[i, j]
            first[e] = min(first[e], safe_cost[i, j])
            n += 1
            wanted -= 1
            if wanted == 0:
                cap[e] = safe_cost[i, j]
                break
    return n


@njit(cache=True)
def guest_part(guests: Guests, prices: Floats, uses: Integers) -> float:
    """Σ over persons and safe rows of min(0, d − λ); counts in ``uses`` who takes a place."""
    total = 0.0
    for g in range(len(guests.groups) - 1):
        at = -1
        least = 0.0
        for i in range(guests.groups[g], guests.groups[g + 1]):
            reduced = guests.cost[i] - prices[guests.incidence[i]]
            if reduced < least:
                at, least = i, reduced
        if at >= 0:
            total += least
            uses[guests.incidence[at]] += 1
    return total
