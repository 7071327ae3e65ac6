"""Brute force over all movements of a small panel: what k-MM must reach, written from the definition."""

from __future__ import annotations

import itertools
import math

import numpy as np

from anonymizers.engines.kmm.problem import Problem


def least_cost(problem: Problem) -> float:
    """The optimum over every way to send each incidence to some row; infinite if none is legal."""
    n, size = problem.n_rows, problem.size
    away = np.sqrt(((problem.points[:, None] - problem.points[None]) ** 2).sum(axis=2))
    best = math.inf
    for target in itertools.product(range(n), repeat=size):
        cost = sum(away[problem.row[e], target[e]] for e in range(size))
        if cost < best - 1e-12 and legal(problem, target):
            best = float(cost)
    return best


def legal(problem: Problem, target: tuple[int, ...] | list[int]) -> bool:
    """Every used row has k people and l values, and nobody twice."""
    for row in set(target):
        people = [int(problem.person[e]) for e in range(problem.size) if target[e] == row]
        values = {int(problem.value[person]) for person in people}
        if len(set(people)) < len(people) or len(people) < problem.k or len(values) < problem.l:
            return False
    return True


def every_movement(problem: Problem) -> float:
    """The same optimum, all movements at once: a thousand panels take seconds instead of minutes."""
    n, size = problem.n_rows, problem.size
    away = np.sqrt(((problem.points[:, None] - problem.points[None]) ** 2).sum(axis=2))
    targets = np.array(list(itertools.product(range(n), repeat=size)))
    cost = away[problem.row[None], targets].sum(axis=1)
    fine = np.ones(len(targets), dtype=bool)
    for one, other in itertools.combinations(range(size), 2):
        if problem.person[one] == problem.person[other]:
            fine &= targets[:, one] != targets[:, other]
    value = problem.value[problem.person]
    for row in range(n):
        here = targets == row
        people = here.sum(axis=1)
        values = sum(here[:, value == v].any(axis=1).astype(int) for v in np.unique(value))
        fine &= (people == 0) | ((people >= problem.k) & (values >= problem.l))
    return float(cost[fine].min()) if fine.any() else math.inf
