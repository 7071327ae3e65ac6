"""`exact`: the integer program, made small by what the prices of the bound rule out, and proven."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import numpy as np

from anonymizers.kmm.arcs import all_arcs, arcs_within
from anonymizers.kmm.fast import CLOSE_ROWS, SAFE_ROWS, fast
from anonymizers.kmm.guests import guests_of
from anonymizers.kmm.lagrangian import lagrangian_bound
from anonymizers.kmm.movement_program import solved
from anonymizers.kmm.nearest import neighbours
from anonymizers.kmm.problem import Problem, Solution

SMALL = 6000
"""Up to so many pairs of incidence and row the program is given whole."""
SHARES = (0.1, 0.2, 0.4, 0.7, 1.0)
"""The slacks tried, as shares of the first distance between the ends."""
EPSILON = 1e-7

log = logging.getLogger(__name__)


def exact(problem: Problem, rng: np.random.Generator, seconds: float, gap: float = 0.0) -> Solution:
    """The optimum with its proof, or the best solution and bound when the time is over.

    A fast solution gives the upper end, prices the lower. A move whose use lifts the bound by more than a
    slack σ is left out of the program. Its optimum B then proves min(B, bound + σ), and its solution lowers
    the upper end; σ grows until the ends meet. People of safe rows enter as fillers of a row at the distance
    to its nearest safe row, which never overrates them; if the optimum cannot be realised with real people,
    the bound stays below the objective and says so.
    """
    stop = time.monotonic() + seconds
    best = fast(problem, rng, 2.0)
    if not best.finished or best.gap <= gap:
        return best
    if problem.size * problem.n_rows <= SMALL:
        return solved(problem, all_arcs(problem), best, np.inf, stop, gap)
    near = neighbours(problem, min(problem.n_rows, 20 * CLOSE_ROWS), SAFE_ROWS)
    guests = guests_of(problem, near)
    known = lagrangian_bound(problem, near, guests, best.objective, 3000)
    best = replace(best, bound=max(best.bound, known.bound))
    slack = best.objective - known.bound
    for share in SHARES:
        # No more than proves what is asked for.
        needed = best.objective / (1 + gap) - known.bound + EPSILON
        sigma = min(share * slack, needed)
        arcs = arcs_within(problem, near, guests, known, sigma)
        log.info(
            "integer program of %d moves, between %.6g and %.6g", len(arcs.row), best.bound, best.objective
        )
        # The solver measures its gap on the objective, we on the bound.
        best = solved(problem, arcs, best, known.bound + sigma, stop, gap / (1 + gap))
        if best.gap <= gap or not best.finished or sigma == needed:
            break
    return best
