"""Regions: a neighbourhood of rows is taken out of a solution and solved again by an integer program."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.engines.kmm.integer_program import AMPLE_SECONDS, Program
from anonymizers.engines.kmm.movement_program import moves_are_whole
from anonymizers.engines.kmm.nearest import Neighbours
from anonymizers.engines.kmm.problem import Floats, Problem
from anonymizers.engines.kmm.start import costs_of
from datasets.tables import Integers

PEOPLE = 24
"""A region takes in near rows until this many incidences live on them."""
OVERLAP = 6
"""A row among this many nearest of a centre is not a centre of its own in the same round."""
NEAR_ROWS = 10
"""This many of the region's rows, the nearest, may take in an incidence."""
OUTSIDE_ROWS = 5
"""This many open rows outside the region, the nearest, may take it in as well."""
NODES = 4
"""Branches that the solver may look at: a limit of work, not of time, so that results can be repeated."""


@dataclass(frozen=True, eq=False)
class Region:
    """The whole solution with a region placed again, None if nothing was gained."""

    target: Integers | None
    interrupted: bool


@dataclass(frozen=True, eq=False)
class Ways:
    """Possible moves of those who are placed again; staying is one of cost 0."""

    incidence: Integers
    row: Integers
    cost: Floats


def improved_by_regions(
    problem: Problem, near: Neighbours, target: Integers, rng: np.random.Generator, budget: int
) -> tuple[Integers, bool]:
    """Solve regions around expensive rows until the budget is used up; never worse than before.

    The second part of the answer is False if an interrupt ended it early.
    """
    target = target.copy()
    sizes = np.diff(problem.starts())
    tried = 0
    while tried < budget:
        better = False
        for centre in _centres(problem, near, target, rng):
            if tried >= budget:
                break
            tried += 1
            found = solved_region(problem, near, target, _region(sizes, near.close[centre]))
            if found.target is not None:
                target, better = found.target, True
            if found.interrupted:
                return target, False
        if not better:
            break
    return target, True


def _region(sizes: Integers, nearest: Integers) -> Integers:
    """The nearest rows on which together no more than this many incidences live, but at least four rows."""
    return nearest[: max(4, int(np.searchsorted(np.cumsum(sizes[nearest]), PEOPLE)))]


def _centres(problem: Problem, near: Neighbours, target: Integers, rng: np.random.Generator) -> list[int]:
    """Deficient rows in a random order in which expensive ones come early, each region's middle once."""
    spent = np.bincount(problem.row, weights=costs_of(problem, target), minlength=problem.n_rows)[near.rows]
    order = np.argsort(-(spent + 1e-9) * rng.random(len(spent)), kind="stable")
    seen = np.zeros(problem.n_rows, dtype=bool)
    chosen = []
    for i in order.tolist():
        if not seen[near.rows[i]]:
            chosen.append(i)
            seen[near.close[i, :OVERLAP]] = True
    return chosen


def solved_region(problem: Problem, near: Neighbours, target: Integers, rows: Integers) -> Region:
    """Place everybody who lives or is on these rows again."""
    inside = np.zeros(problem.n_rows, dtype=bool)
    inside[rows] = True
    free = np.flatnonzero(inside[problem.row] | inside[target])
    if not len(free):
        return Region(None, False)
    staying = np.bincount(target, minlength=problem.n_rows) - np.bincount(
        target[free], minlength=problem.n_rows
    )
    ways = _ways(problem, near, target, rows, inside, free)
    program, opens = _program(problem, ways, inside, staying)
    start = np.zeros(len(program.costs))
    start[: len(ways.row)] = ways.row == target[ways.incidence]
    for row, variable in opens.items():
        start[variable] = float((target == row).any())
    answer = program.solve(start, AMPLE_SECONDS, 1e-4, NODES)
    if answer.values is None:
        return Region(None, answer.interrupted)
    used = answer.values[: len(ways.row)] > 0.5
    if ways.cost[used].sum() >= ways.cost[start[: len(ways.row)] > 0.5].sum() - 1e-7:
        return Region(None, answer.interrupted)
    found = target.copy()
    found[ways.incidence[used]] = ways.row[used]
    return Region(found, answer.interrupted)


def _ways(
    problem: Problem, near: Neighbours, target: Integers, rows: Integers,
    inside: npt.NDArray[np.bool_], free: Integers,
) -> Ways:  # fmt: skip
    """Where each may go: home, its present row, near rows of the region, near open rows outside it."""
    crowd = np.bincount(target, minlength=problem.n_rows)
    away = np.sqrt(
        ((problem.points[problem.row[free]][:, None] - problem.points[rows][None]) ** 2).sum(axis=2)
    )
    nearest = np.argsort(away, axis=1, kind="stable")[:, :NEAR_ROWS]
    pairs: set[int] = set()
    for place, e in enumerate(free.tolist()):
        to = {int(target[e]), *rows[nearest[place]].tolist()}
        i = near.index[problem.row[e]]
        if i < 0:
            to.add(int(problem.row[e]))
        else:
            listed = near.close[i]
            to |= set(listed[(crowd[listed] > 0) & ~inside[listed]][:OUTSIDE_ROWS].tolist())
            to |= set(near.safe[i, :OUTSIDE_ROWS].tolist())
        pairs |= {e * problem.n_rows + row for row in to}
    keys = np.array(sorted(pairs), dtype=np.int64)
    incidence, row = keys // problem.n_rows, keys % problem.n_rows
    others = np.ones(problem.size, dtype=bool)
    others[free] = False
    taken = problem.person[others] * problem.n_rows + target[others]
    kept = ~np.isin(problem.person[incidence] * problem.n_rows + row, taken)
    incidence, row = incidence[kept], row[kept]
    return Ways(incidence, row, problem.distances(incidence, row))


def _program(
    problem: Problem, ways: Ways, inside: npt.NDArray[np.bool_], staying: Integers
) -> tuple[Program, dict[int, int]]:
    """Rows of the region open or close; open rows outside it stay open with at least k people."""
    program = Program()
    whole = moves_are_whole(problem)
    leaving, arriving, person_row = defaultdict(list), defaultdict(list), defaultdict(list)
    for a, (e, row, cost) in enumerate(
        zip(ways.incidence.tolist(), ways.row.tolist(), ways.cost.tolist(), strict=True)
    ):
        program.variable(cost, whole=whole)
        leaving[e].append(a)
        arriving[row].append(a)
        person_row[(int(problem.person[e]), row)].append(a)
    for choices in leaving.values():
        program.constrain([(a, 1.0) for a in choices], 1, 1)
    opens = {}
    for row, coming in arriving.items():
        if inside[row]:
            opens[row] = program.variable(0.0)
            terms = [*((a, 1.0) for a in coming), (opens[row], -float(problem.k))]
            program.constrain(terms, 0, np.inf)
        elif staying[row] < problem.k:
            program.constrain([(a, 1.0) for a in coming], problem.k - int(staying[row]), np.inf)
    for (_, row), same in person_row.items():
        if row in opens:
            program.constrain([*((a, 1.0) for a in same), (opens[row], -1.0)], -np.inf, 0)
        elif len(same) > 1:
            program.constrain([(a, 1.0) for a in same], -np.inf, 1)
    return program, opens
