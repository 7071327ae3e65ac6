"""k-MM: ours against the paper's split on the same solver, as ratios; `KAKURENBO_LONG=1` runs all of it."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from anonymizers.kmm.exact import exact
from anonymizers.kmm.fast import fast
from anonymizers.kmm.split import split
from anonymizers.table_registry import run_table_method
from scoring.panel.brand_metrics import brand_metrics, mapd
from tests.bench.panel_simulation import B1_SHARES, paper_split, simulated_panel, simulated_problem

FULL = bool(os.environ.get("KAKURENBO_LONG"))
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


def table_a1(seed: int, k: int) -> None:
    """Table A1 and Figure A1: loss and CPU time of the whole problem (q = 1) and of random splits."""
    table = simulated_panel(300, B1_SHARES, seed)
    brands = [str(name) for name in table.columns if name != "who"]
    before = brand_metrics(table, "who", brands)
    print(f"  data {seed} k {k}     PCC     MSD      MS     SCR     BSP  objective     CPU s")
    for parts in range(1, 7):
        settings = {"k": k, "solver": "fast" if parts == 1 else "split", "parts": parts}
        done = run_table_method("kmm", table, {"id": "who", "qid": brands}, 1, settings)
        after = brand_metrics(done.table, "who", brands)
        figures = [
            done.report["changed_cells_percent"],
            done.report["msd_per_record"],
            mapd(before.market_share, after.market_share),
            mapd(before.requirements, after.requirements),
            mapd(before.switching, after.switching),
        ]
        cells = "".join(f"{figure:>8.2f}" for figure in figures)
        spent = done.report["cpu_seconds"]
        print(f"    q = {parts:<6}{cells}{done.report['objective']:>11.1f}{spent:>10.1f}", flush=True)


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
        f"{ours.objective / theirs.objective:.2f} and time {spent / peer:.1f} of the split in {parts}; "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most so far",
        flush=True,
    )


def main() -> None:
    fast(simulated_problem(60, B1_SHARES, 9, 3), np.random.default_rng(1), 0.01)
    print("B.1, 300 people, four brands")
    for seed in range(4) if FULL else (0,):
        for k in range(2, 8) if FULL else (2, 4):
            b1(seed, k)
    for seed in range(4) if FULL else (0,):
        for k in range(2, 8) if FULL else (4,):
            table_a1(seed, k)
    for k in range(2, 8) if FULL else (4,):
        paper(0, k)
    print("B.2, k = 7")
    for people in SIZES if FULL else (1_000,):
        b2(people)


if __name__ == "__main__":
    main()
