"""Brute force over all movements of a small panel: what k-MM must reach, written from the definition."""

from __future__ import annotations

import itertools
import math

import numpy as np

from anonymizers.kmm.problem import Problem


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
