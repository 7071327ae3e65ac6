"""Snowballing on a bipartite graph of people and quasi-identifiers, in time linear in the edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from datasets.tables import Integers
from scoring.risk.panel import Panel


@dataclass(frozen=True, eq=False)
class Snowball:
    """By person: the iteration of re-identification (0: never), its unique QIDs then, all distinct QIDs."""

    iteration: Integers
    unique: Integers
    distinct: Integers


def snowball(panel: Panel) -> Snowball:
    """Remove, again and again, everybody who holds a quasi-identifier that nobody else holds."""
    person, group = panel.incidences()
    distinct = np.bincount(person, minlength=panel.n_people)
    start = np.concatenate([[0], np.cumsum(distinct)])
    iteration, unique = _peel(start, group, panel.n_groups)
    return Snowball(iteration, unique, distinct)


@njit(cache=True)
def _peel(start: Integers, group: Integers, n_groups: int) -> tuple[Integers, Integers]:
    """Peel level by level; ``group[start[p]:start[p + 1]]`` are the distinct groups of person p.

    The exclusive or of a group's remaining holders names the last one without any list of holders.
    """
    n_people = len(start) - 1
    holders = np.zeros(n_groups, dtype=np.int64)
    mixed = np.zeros(n_groups, dtype=np.int64)
    for p in range(n_people):
        for edge in range(start[p], start[p + 1]):
            holders[group[edge]] += 1
            mixed[group[edge]] ^= p
    iteration = np.zeros(n_people, dtype=np.int64)
    unique = np.zeros(n_people, dtype=np.int64)
    # A group comes down to one holder at most once, so both queues are filled at most once over.
    single = np.empty(n_groups, dtype=np.int64)
    leaving = np.empty(n_people, dtype=np.int64)
    n_single = n_leaving = seen = left = level = 0
    for q in range(n_groups):
        if holders[q] == 1:
            single[n_single] = q
            n_single += 1
    while seen < n_single:
        level += 1
        while seen < n_single:
            q = single[seen]
            seen += 1
            # The last holder may have left in the very level in which the group came down to one.
            if holders[q] == 1:
                p = mixed[q]
                unique[p] += 1
                if iteration[p] == 0:
                    iteration[p] = level
                    leaving[n_leaving] = p
                    n_leaving += 1
        while left < n_leaving:
            p = leaving[left]
            left += 1
            for edge in range(start[p], start[p + 1]):
                q = group[edge]
                holders[q] -= 1
                mixed[q] ^= p
                if holders[q] == 1:
                    single[n_single] = q
                    n_single += 1
    return iteration, unique
