"""k-MM: ours against the paper's random split on the same solver, as ratios; `KMM_FULL=1` runs all of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from anonymizers.kmm.exact import exact
from anonymizers.kmm.fast import fast
from anonymizers.kmm.split import split
from tests.bench.panel_simulation import B1_SHARES, paper_split, simulated_problem

FULL = bool(os.environ.get("KMM_FULL"))
SIZES = {1_000: (6, 10), 5_000: (8, 50), 10_000: (9, 80)}
"""People of B.2 → brands and the paper's number of parts."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result and its CPU seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def b1(seed: int, k: int) -> None:
    problem = simulated_problem(300, B1_SHARES, seed, k)
    ours, spent = timed(lambda: fast(problem, np.random.default_rng(1)))
    proven, proof = timed(lambda: exact(problem, np.random.default_rng(1), 600 if FULL else 30, 0.0))
    line = f"  data {seed} k {k}: fast {ours.objective / proven.bound - 1:.2%} above the proven bound"
    line += f"; exact gap {proven.gap:.2%} in {proof / spent:.0f} x the time"
    for parts in (2, 4, 6):
        part = split(problem, np.random.default_rng(1), parts)
        line += f"; split {parts} {part.objective / ours.objective:.2f} x"
    print(line, flush=True)


def paper(seed: int, k: int) -> None:
    problem = simulated_problem(300, B1_SHARES, seed, k)
    ours, spent = timed(lambda: fast(problem, np.random.default_rng(1)))
    theirs, time_of_theirs = timed(lambda: paper_split(problem, 6, np.random.default_rng(1), 600))
    print(
        f"  data {seed} k {k}: objective {ours.objective / theirs:.2f}, time {spent / time_of_theirs:.3f} "
        "of the paper's program split in 6",
        flush=True,
    )


def b2(people: int) -> None:
    brands, parts = SIZES[people]
    problem = simulated_problem(people, [1 / brands] * brands, 1, 7)
    ours, spent = timed(lambda: fast(problem, np.random.default_rng(1)))
    theirs, peer = timed(lambda: split(problem, np.random.default_rng(1), parts))
    print(
        f"  {people} people, {problem.n_rows} rows: gap {ours.gap:.2%}, objective "
        f"{ours.objective / theirs.objective:.2f} and time {spent / peer:.1f} of the split in {parts}",
        flush=True,
    )


def main() -> None:
    fast(simulated_problem(60, B1_SHARES, 9, 3), np.random.default_rng(1), 0.01)
    print("B.1, 300 people, four brands")
    for seed in range(4) if FULL else (0,):
        for k in range(2, 8) if FULL else (2, 4):
            b1(seed, k)
    paper(0, 4)
    print("B.2, k = 7")
    for people in SIZES if FULL else (1_000,):
        b2(people)


if __name__ == "__main__":
    main()
