"""The program without whole numbers, tightened by cuts: a bound, and what each move would add to it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonymizers.engines.kmm.arcs import Arcs
from anonymizers.engines.kmm.cuts import Cut, Fraction, violated
from anonymizers.engines.kmm.integer_program import quiet_highs, run
from anonymizers.engines.kmm.movement_program import cut_terms, program_of
from anonymizers.engines.kmm.problem import Floats, Problem
from datasets.tables import Integers

ROUNDS = 40
PATIENCE, STALL = 3, 0.01
"""Rounds end when this many bring the bound nearer to its goal by less than this share of the way each."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Tightened:
    """No solution by the arcs is below ``bound``, and none that uses arc a below ``bound + lift[a]``."""

    bound: float
    lift: Floats
    cuts: list[Cut] = field(default_factory=list)
    """Those that carry the bound."""


def tightened(problem: Problem, arcs: Arcs, known: Tightened, goal: float, stop: float) -> Tightened:
    """Add cuts round by round until the bound is at its goal, rises no more, or the time is over."""
    import highspy

    program, fillers = program_of(problem, arcs)
    solver = quiet_highs(highspy, 1.0)
    solver.passModel(program.model(highspy))
    rows, filler = (np.array(list(part), dtype=np.int64) for part in (fillers.keys(), fillers.values()))
    number = np.full(problem.n_rows, -1, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    cuts: list[Cut] = []
    course = [-np.inf] * PATIENCE
    for _ in range(ROUNDS):
        # The solver's clock goes on from one run to the next.
        solver.setOptionValue("time_limit", max(stop - time.monotonic(), 1.0) + solver.getRunTime())
        if run(solver, highspy):
            raise KeyboardInterrupt
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            break
        known = _read(solver, arcs, number, filler, cuts)
        log.info("%d cuts: no solution is below %.6g", len(known.cuts), min(known.bound, goal))
        course.append(known.bound)
        if known.bound >= goal or course[-1] - course[-1 - PATIENCE] < PATIENCE * STALL * (goal - course[-1]):
            break
        found = violated(_fraction(solver, arcs, number, filler), problem.k)
        if not found:
            break
        for cut in (replace(cut, rows=rows[cut.rows]) for cut in found):
            columns, factors = zip(*cut_terms(arcs, fillers, cut), strict=True)
            low = -float(cut.factor * cut.full)
            solver.addRow(low, np.inf, len(columns), np.array(columns, dtype=np.int32), np.array(factors))
            cuts.append(cut)
    return known


def _read(solver: Any, arcs: Arcs, number: Integers, filler: Integers, cuts: list[Cut]) -> Tightened:
    """The bound, the reduced costs of each arc and the opening it needs, and the cuts with a price."""
    solution = solver.getSolution()
    reduced = np.maximum(np.asarray(solution.col_dual), 0.0)
    opening = np.append(reduced[filler - 1], 0.0)
    lift = reduced[: len(arcs.row)] + opening[number[arcs.row]]
    prices = np.asarray(solution.row_dual)[solver.getNumRow() - len(cuts) :].tolist()
    carrying = [cut for cut, price in zip(cuts, prices, strict=True) if price > 1e-9]
    return Tightened(float(solver.getInfo().objective_function_value), lift, carrying)


def _fraction(solver: Any, arcs: Arcs, number: Integers, filler: Integers) -> Fraction:
    values = np.asarray(solver.getSolution().col_value)
    share = values[: len(arcs.row)]
    used = np.flatnonzero((share > 0) & (number[arcs.row] >= 0))
    return Fraction(
        arcs.incidence[used], number[arcs.row[used]], share[used], values[filler - 1], values[filler]
    )
