"""Several solutions merged into one: the best combination of their moves, by a small integer program."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anonymizers.engines.kmm.arcs import Arcs
from anonymizers.engines.kmm.integer_program import AMPLE_SECONDS
from anonymizers.engines.kmm.movement_program import program_of, realised, start_values
from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Problem
from datasets.tables import Integers

GAP, NODES = 1e-3, 1
"""The solver ends at this gap or after this many branches: limits of work, so that results are repeatable."""


def merged(problem: Problem, near: Neighbours, solutions: Sequence[Integers]) -> tuple[Integers, bool]:
    """Never worse than the best of them. The second part is False if an interrupt ended the work early.

    Only people of deficient rows choose; those who came from a safe row in some solution stay at home.
    """
    best = min(solutions, key=problem.cost)
    if len(solutions) == 1:
        return best, True
    live = np.flatnonzero(near.index[problem.row] >= 0)
    used = np.unique(np.concatenate([live * problem.n_rows + target[live] for target in solutions]))
    incidence, row = used // problem.n_rows, used % problem.n_rows
    deficient = np.unique(row[near.index[row] >= 0]).tolist()
    arcs = Arcs(incidence, row, problem.distances(incidence, row), dict.fromkeys(deficient, np.inf))
    program, fillers = program_of(problem, arcs)
    start = start_values(arcs, fillers, best, len(program.costs))
    answer = program.solve(start, AMPLE_SECONDS, GAP, NODES)
    target = None if answer.values is None else realised(problem, arcs, fillers, answer.values)
    if target is None or problem.cost(target) >= problem.cost(best):
        target = best
    return target, not answer.interrupted
