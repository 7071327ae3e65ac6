"""Legal solutions to begin with: everybody to the nearest safe row, or dealt out over a few rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Floats, Problem
from datasets.tables import Integers


def first_solution(problem: Problem, near: Neighbours) -> Integers:
    """Everybody on a deficient row goes to the nearest safe row that is free for them.

    Where somebody finds none, all are dealt out (`dealt`), which is expensive but always legal.
    """
    target = problem.row.copy()
    order = np.argsort(problem.person, kind="stable")
    begins = np.searchsorted(problem.person[order], np.arange(problem.n_people + 1))
    _to_safe(target, problem.row, problem.person, order, begins, near.index, near.safe, near.n_safe)
    others = np.flatnonzero(near.index < 0)
    for e in np.flatnonzero(target < 0):
        same = order[begins[problem.person[e]] : begins[problem.person[e] + 1]]
        free = np.setdiff1d(others, target[same], assume_unique=False)
        if not len(free):
            return dealt(problem)
        away = ((problem.points[free] - problem.points[problem.row[e]]) ** 2).sum(axis=1)
        target[e] = free[np.argmin(away)]
    return target


@njit(cache=True)
def _to_safe(
    target: Integers, row: Integers, person: Integers, order: Integers, begins: Integers, index: Integers,
    safe: Integers, n_safe: int,
) -> None:  # fmt: skip
    for e in range(len(row)):
        i = index[row[e]]
        if i < 0:
            continue
        p = person[e]
        found = False
        for j in range(n_safe):
            free = True
            for o in range(begins[p], begins[p + 1]):
                other = order[o]
                if other != e and target[other] == safe[i, j]:
                    free = False
                    break
            if free:
                target[e] = safe[i, j]
                found = True
                break
        if not found:
            target[e] = -1


def dealt(problem: Problem) -> Integers:
    """Deal all incidences round over as few rows as a person needs: legal whenever anything is.

    With r rows, r the most rows of one person, incidences sorted by sensitive value and person are dealt in
    turn: a person's stretch is no longer than r, so nobody comes twice to a row; every row gets at least
    ⌊s/r⌋ ≥ k incidences; values with at least r incidences reach every row and the others follow each other
    evenly, so a row gets ⌊Σ_a min(r, s_a) / r⌋ ≥ l values.
    """
    most = int(np.bincount(problem.person).max())
    crowd = np.bincount(problem.row, minlength=problem.n_rows)
    rows = np.argsort(-crowd, kind="stable")[:most]
    value = problem.value[problem.person]
    held = np.bincount(value)
    order = np.lexsort((problem.person, value, held[value] < most))
    target = np.empty(problem.size, dtype=np.int64)
    target[order] = rows[np.arange(problem.size) % most]
    return target


def costs_of(problem: Problem, target: Integers) -> Floats:
    """What each incidence's move costs."""
    return problem.distances(np.arange(problem.size), target)
