"""The integer program of k-MM over some moves: built, solved from a known solution, and read back."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from anonymizers.engines.kmm.arcs import Arcs
from anonymizers.engines.kmm.cuts import Cut
from anonymizers.engines.kmm.integer_program import Program
from anonymizers.engines.kmm.problem import Floats, Problem, Solution, is_legal
from datasets.tables import Integers


def solved(
    problem: Problem,
    arcs: Arcs,
    best: Solution,
    beyond: float,
    stop: float,
    gap: float,
    cuts: Sequence[Cut] = (),
) -> Solution:
    """Solve the program of these arcs; ``beyond`` is what every solution with other moves costs at least."""
    program, fillers = program_of(problem, arcs, cuts)
    start = start_values(arcs, fillers, best.target, len(program.costs))
    answer = program.solve(start, max(stop - time.monotonic(), 1.0), gap, enough=beyond)
    bound = max(best.bound, min(answer.bound, beyond))
    target = None if answer.values is None else realised(problem, arcs, fillers, answer.values)
    if target is None or problem.cost(target) >= best.objective:
        target = best.target
    cost = problem.cost(target)
    return Solution(target, cost, min(bound, cost), answer.finished)


def program_of(problem: Problem, arcs: Arcs, cuts: Sequence[Cut] = ()) -> tuple[Program, dict[int, int]]:
    """The program: variables are the arcs in their order, then openings, fillers and values.

    Each incidence takes one arc; an arc needs its row open; an open row needs k people (A2) and l values
    (A6, A7); nobody comes twice to a row (A4); cuts hold for all of this.
    """
    whole = moves_are_whole(problem)
    program = Program()
    leaving, arriving, person_row = defaultdict(list), defaultdict(list), defaultdict(list)
    for a, (e, row, cost) in enumerate(
        zip(arcs.incidence.tolist(), arcs.row.tolist(), arcs.cost.tolist(), strict=True)
    ):
        program.variable(cost, whole=whole)
        leaving[e].append(a)
        person_row[(problem.person[e], row)].append(a)
        if row in arcs.filler_cost:
            arriving[row].append(a)
    for choices in leaving.values():
        program.constrain([(a, 1.0) for a in choices], 1, 1)
    opens, fillers = {}, {}
    for row, filler_cost in arcs.filler_cost.items():
        opens[row] = program.variable(0.0)
        possible = np.isfinite(filler_cost)
        most = problem.k if possible else 0.0
        fillers[row] = program.variable(filler_cost if possible else 0.0, most, whole)
        program.constrain([(fillers[row], 1.0), (opens[row], -problem.k)], -np.inf, 0)
        crowd = [(a, 1.0) for a in arriving[row]]
        program.constrain([*crowd, (fillers[row], 1.0), (opens[row], -float(problem.k))], 0, np.inf)
        if problem.l > 1:
            _need_values(program, problem, arcs, arriving[row], opens[row], fillers[row])
    for (_, row), same in person_row.items():
        if row in opens:
            program.constrain([*((a, 1.0) for a in same), (opens[row], -1.0)], -np.inf, 0)
        elif len(same) > 1:
            program.constrain([(a, 1.0) for a in same], -np.inf, 1)
    for cut in cuts:
        program.constrain(cut_terms(arcs, fillers, cut), -float(cut.factor * cut.full), np.inf)
    return program, fillers


def cut_terms(arcs: Arcs, fillers: dict[int, int], cut: Cut) -> list[tuple[int, float]]:
    """I − factor · V, which is at least −factor · full."""
    coming = np.isin(arcs.row, cut.rows) & ~np.isin(arcs.incidence, cut.inside)
    terms = [(a, 1.0) for a in np.flatnonzero(coming).tolist()]
    for row in cut.rows.tolist():
        if row in fillers:
            terms += [(fillers[row], 1.0), (fillers[row] - 1, -float(cut.factor))]
    return terms


def moves_are_whole(problem: Problem) -> bool:
    """Whether moves are declared whole numbers.

    Once it is known which rows are open, the rest is a flow, from incidences over pairs of person and row to
    rows: its vertices are whole anyway, and the solver branches on openings alone. Counted values are no
    flow; and where two or three people meet, the solver's own cuts on whole moves are worth more (measured).
    """
    return problem.l > 1 or problem.k <= 3


def _need_values(
    program: Program, problem: Problem, arcs: Arcs, arriving: list[int], opened: int, filler: int
) -> None:
    by_value = defaultdict(list)
    for a in arriving:
        by_value[problem.value[problem.person[arcs.incidence[a]]]].append(a)
    seen = []
    for same in by_value.values():
        seen.append(program.variable(0.0))
        program.constrain([(seen[-1], 1.0), *((a, -1.0) for a in same)], -np.inf, 0)
    program.constrain([*((u, 1.0) for u in seen), (filler, 1.0), (opened, -float(problem.l))], 0, np.inf)


def start_values(arcs: Arcs, fillers: dict[int, int], target: Integers, size: int) -> Floats | None:
    """The known solution as values of the variables, if its moves are all among the arcs."""
    used = arcs.row == target[arcs.incidence]
    if len(np.unique(arcs.incidence[used])) < len(np.unique(arcs.incidence)):
        return None
    values = np.zeros(size)
    values[: len(used)] = used
    for row in np.unique(arcs.row[used]).tolist():
        if row in fillers:
            values[fillers[row] - 1] = 1.0
    return values


def realised(problem: Problem, arcs: Arcs, fillers: dict[int, int], values: Floats) -> Integers | None:
    """The program's solution with real people as fillers: the nearest who can be spared. None if illegal."""
    target = problem.row.copy()
    used = np.flatnonzero(values[: len(arcs.row)] > 0.5)
    target[arcs.incidence[used]] = arcs.row[used]
    crowd = np.bincount(target, minlength=problem.n_rows)
    fixed = np.zeros(problem.size, dtype=bool)
    fixed[arcs.incidence] = True
    for row, variable in fillers.items():
        for _ in range(round(values[variable])):
            there = np.isin(problem.person, problem.person[target == row])
            spare = np.flatnonzero(~fixed & ~there & (target == problem.row) & (crowd[target] > problem.k))
            if not len(spare):
                return None
            away = ((problem.points[problem.row[spare]] - problem.points[row]) ** 2).sum(axis=1)
            chosen = spare[np.argmin(away)]
            crowd[target[chosen]] -= 1
            crowd[row] += 1
            target[chosen] = row
    return target if is_legal(problem, target) else None
