"""`split`: the paper's divide and conquer, which deals the rows at random into q smaller problems."""

from __future__ import annotations

import numpy as np

from anonymizers.engines.kmm.fast import fast
from anonymizers.engines.kmm.problem import Problem, Solution, require_solvable
from anonymizers.release import CannotProtect
from datasets.tables import Integers


def split(problem: Problem, rng: np.random.Generator, parts: int) -> Solution:
    """Solve each part as `fast` would and put the solutions together; the bound of the whole is unknown.

    A part that no movement can solve is joined with the next one.
    """
    require_solvable(problem)
    label = np.empty(problem.n_rows, dtype=np.int64)
    label[rng.permutation(problem.n_rows)] = np.arange(problem.n_rows) * parts // problem.n_rows
    target = problem.row.copy()
    waiting: list[int] = []
    for part in range(parts):
        waiting.append(part)
        members = np.flatnonzero(np.isin(label[problem.row], waiting))
        try:
            target[members] = _part_solved(problem, members, rng)
        except CannotProtect:
            continue
        waiting = []
    if waiting:
        return Solution(*_whole(problem, rng))
    return Solution(target, problem.cost(target), 0.0)


def _part_solved(problem: Problem, members: Integers, rng: np.random.Generator) -> Integers:
    rows, row = np.unique(problem.row[members], return_inverse=True)
    people, person = np.unique(problem.person[members], return_inverse=True)
    part = Problem(problem.points[rows], row, person, problem.k, problem.l, problem.value[people])
    return rows[fast(part, rng).target]


def _whole(problem: Problem, rng: np.random.Generator) -> tuple[Integers, float, float]:
    """The last parts could not be solved on their own: then nothing is split."""
    done = fast(problem, rng)
    return done.target, done.objective, 0.0
