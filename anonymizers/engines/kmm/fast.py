"""`fast`: prices for a bound, starts from them, annealings merged into one, and regions solved again."""

from __future__ import annotations

import logging
import time

import numpy as np

from anonymizers.engines.kmm.anneal import anneal, open_in_order
from anonymizers.engines.kmm.arcs import all_arcs
from anonymizers.engines.kmm.guests import guests_of
from anonymizers.engines.kmm.integer_program import has_highs
from anonymizers.engines.kmm.lagrangian import PROVABLE_ROWS, Prices, lagrangian_bound
from anonymizers.engines.kmm.merging import merged
from anonymizers.engines.kmm.movement_program import solved
from anonymizers.engines.kmm.nearest import Neighbours, narrowed, neighbours
from anonymizers.engines.kmm.problem import Problem, Solution, require_solvable
from anonymizers.engines.kmm.regions import improved_by_regions
from anonymizers.engines.kmm.start import first_solution
from anonymizers.engines.kmm.state import State, state_of
from arithmetic import exp, power
from datasets.tables import Integers

CLOSE_ROWS = 128
SEARCH_ROWS = 32
SAFE_ROWS = 12
TINY = 1000
"""Up to this many pairs of incidence and row an integer program is faster than a search."""
STAGES = 40
"""The annealing has this many stages: progress is shown and an interrupt noticed between them."""
DONOR_ROWS, DONOR_STAGE = 2, 30
"""Near the end only: at high temperatures, people would drift from safe rows to others and not return."""
FOCUS = 1.0
"""A row whose opening costs this many steps beyond the bound is tried e times less often."""
MOST_REGIONS = 150
"""At default effort no more regions are solved again than this, and one per twenty deficient rows."""
GROWTH = 0.7
"""Moves grow less than rows do: what a short annealing leaves, merging and regions find."""
RUNS, MERGED = 8, 3000
"""Several short annealings and what is best in all of them beat one long one, up to this many incidences."""
HOT, COLD = 0.6, 0.04
"""First and last temperature, as shares of the typical distance to the next row."""

log = logging.getLogger(__name__)


def fast(problem: Problem, rng: np.random.Generator, effort: float = 1.0) -> Solution:
    """A near-optimal solution with a proven bound. Twice the effort takes about twice the time."""
    require_solvable(problem)
    near = neighbours(problem, CLOSE_ROWS, SAFE_ROWS)
    if len(near.rows) == 0:
        return Solution(problem.row.copy(), 0.0, 0.0)
    if problem.size * problem.n_rows <= TINY:
        begin = first_solution(problem, near)
        best = Solution(begin, problem.cost(begin), 0.0)
        return solved(problem, all_arcs(problem), best, np.inf, time.monotonic() + 10, 0.0)
    target = first_solution(problem, near)
    guests = guests_of(problem, near)
    searched = narrowed(near, SEARCH_ROWS)
    state = state_of(problem, searched, guests.live, target)
    known = None
    finished = True
    found: list[Integers] = []
    exactly = problem.l == 1 and has_highs()
    try:
        open_in_order(state, rng.permutation(len(near.rows)))
        target = state.place.copy()
        fewest = 250 if len(near.rows) <= PROVABLE_ROWS else 25
        steps = int(np.clip(3e8 * effort / (len(guests.live) * 100), fewest, 600))
        known = lagrangian_bound(problem, near, guests, problem.cost(target), steps)
        log.info("no solution is below %.6g; best so far %.6g", known.bound, problem.cost(target))
        runs = RUNS if exactly and len(guests.live) <= MERGED else 1
        for _ in range(runs):
            state = state_of(problem, searched, guests.live, target)
            found.append(improved(problem, near, state, known, rng, effort / runs))
        if exactly:
            target, finished = merged(problem, near, found)
            budget = int(effort * np.clip(len(near.rows) / 20, 4, MOST_REGIONS))
            if finished:
                target, finished = improved_by_regions(problem, near, target, rng, budget)
            log.info("merged and solved in regions: %.6g", problem.cost(target))
        else:
            target = found[0]
    except KeyboardInterrupt:
        target, finished = min([target, *found, state.place.copy()], key=problem.cost), False
    bound = known.bound if known else 0.0
    return Solution(target, problem.cost(target), bound, finished)


def improved(
    problem: Problem, near: Neighbours, state: State, known: Prices, rng: np.random.Generator, effort: float,
) -> Integers:  # fmt: skip
    """Anneal from the rows that the prices open, and from what was there before; the better one is kept."""
    best = state.place.copy()
    open_in_order(state, np.argsort(-known.openness, kind="stable"))
    moves = int(effort * np.clip(8000 * power(len(near.rows), GROWTH), 50_000, 5_000_000)) // STAGES + 1
    picks = _promising(known, state.step)
    heats = state.step * HOT * power(COLD / HOT, np.arange(STAGES + 1) / STAGES)
    try:
        for stage in range(STAGES):
            state.donors[0] = DONOR_ROWS if stage >= DONOR_STAGE else 0
            anneal(state, picks, rng.random((moves, 5)), heats[stage], heats[stage + 1])
            if stage % 10 == 9:
                log.info("search %d %%: %.6g", 100 * (stage + 1) // STAGES, problem.cost(state.place))
    finally:
        best = _better(problem, best, state.place)
    return best


def _promising(known: Prices, step: float) -> Integers:
    """Deficient rows, each as often as it should be tried: the costlier it is to open, the less often."""
    weight = exp(-np.maximum(known.opening, 0.0) / (FOCUS * step))
    return np.repeat(np.arange(len(weight)), np.ceil(16 * weight).astype(np.int64))


def _better(problem: Problem, one: Integers, other: Integers) -> Integers:
    return other.copy() if problem.cost(other) < problem.cost(one) else one
