"""`exact`: the integer program, made small by what the prices of the bound rule out, and proven."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from anonymizers.engines.kmm.arcs import all_arcs, arcs_within
from anonymizers.engines.kmm.fast import CLOSE_ROWS, SAFE_ROWS, fast
from anonymizers.engines.kmm.guests import guests_of
from anonymizers.engines.kmm.integer_program import has_highs
from anonymizers.engines.kmm.lagrangian import lagrangian_bound
from anonymizers.engines.kmm.movement_program import solved
from anonymizers.engines.kmm.nearest import neighbours
from anonymizers.engines.kmm.problem import Problem, Solution
from anonymizers.engines.kmm.relaxation import Tightened, tightened

SMALL = 6000
"""Up to this many pairs of incidence and row the program is given whole."""
LARGE = 400_000
"""No more moves than this are looked at, to bound memory; a larger problem may stay unfinished."""
SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
"""The slacks tried, as shares of the distance between the ends."""
EPSILON = 1e-7

log = logging.getLogger(__name__)


def exact(problem: Problem, rng: np.random.Generator, seconds: float, gap: float = 0.0) -> Solution:
    """The optimum with its proof, or the best solution and bound when the time is over.

    A fast solution gives the upper end, prices the lower. A move whose use lifts the bound by more than the
    distance between them is left out. What remains is solved without whole numbers and tightened by cuts,
    which lifts the bound and updates what each move would add to it. Programs of the moves that add least,
    more of them from one to the next, lower the upper end and prove the rest. People of safe rows enter as
    fillers of a row at the distance to its nearest safe row, which never overrates them; if the optimum
    cannot be realised with real people, the bound stays below the objective and says so.
    """
    stop = time.monotonic() + seconds
    best = fast(problem, rng, 2.0)
    if not best.finished or best.gap <= gap:
        return best
    if problem.size * problem.n_rows <= SMALL:
        return solved(problem, all_arcs(problem), best, np.inf, stop, gap)
    try:
        for found in _closing_in(problem, best, stop, gap):
            best = found
            log.info("the optimum is between %.6g and %.6g", best.bound, best.objective)
    except KeyboardInterrupt:
        return replace(best, finished=False)
    return best


def _closing_in(problem: Problem, best: Solution, stop: float, gap: float) -> Iterator[Solution]:
    """Better solutions and bounds, until both are as near as the gap requires or the time is over."""
    near = neighbours(problem, min(problem.n_rows, 20 * CLOSE_ROWS), SAFE_ROWS)
    guests = guests_of(problem, near)
    known = lagrangian_bound(problem, near, guests, best.objective, 3000)
    yield (best := replace(best, bound=max(best.bound, known.bound)))
    # A solution with any other move costs `goal` at least: all there is to prove, if moves are not too many.
    for share in SHARES:
        slack = share * (_enough(best, gap) - known.bound)
        wider, lift = arcs_within(problem, near, guests, known, slack)
        if share > SHARES[0] and len(wider.row) > LARGE:
            break
        arcs, tight, goal = wider, Tightened(known.bound, lift), known.bound + slack
    if has_highs():
        tight = tightened(problem, arcs, tight, goal, stop)
        yield (best := replace(best, bound=max(best.bound, min(tight.bound, goal))))
    first = best.objective - tight.bound
    for share in SHARES:
        needed = min(_enough(best, gap), goal) - tight.bound
        if best.gap <= gap or not best.finished or needed <= 0:
            break
        slack = min(share * first, needed)
        program = arcs.only(tight.lift <= slack)
        # The solver measures its gap on the objective, we on the bound.
        best = solved(problem, program, best, tight.bound + slack, stop, gap / (1 + gap), tight.cuts)
        yield best
        if slack == needed:
            break
    if best.gap > gap and goal < _enough(best, gap) - EPSILON:
        yield replace(best, finished=False)


def _enough(best: Solution, gap: float) -> float:
    """The bound that proves the gap of a solution."""
    return best.objective / (1 + gap) + EPSILON
