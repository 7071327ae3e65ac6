"""k-MM: ours against the paper's program and its random splits on the same solver, as ratios.

`KAKURENBO_LONG=1` runs all of it (about two hours); `KAKURENBO_PLOT=FOLDER` draws the times of Figure A1.
"""

from __future__ import annotations

import io
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from anonymizers.engines.kmm.exact import exact
from anonymizers.engines.kmm.fast import fast
from anonymizers.engines.kmm.split import split
from anonymizers.table_registry import run_table_method
from scoring.panel.brand_metrics import brand_metrics, mapd
from tests.bench.panel_simulation import B1_SHARES, paper_split, simulated_panel, simulated_problem

FULL = bool(os.environ.get("KAKURENBO_LONG"))
LEVELS = tuple(range(2, 8)) if FULL else (2, 4)
PARTS = range(1, 7)
REPLICATES = 3 if FULL else 1
"""Random splits that are averaged (the paper: 100)."""
SIZES = {1_000: (6, 10), 5_000: (8, 50), 10_000: (9, 80), 100_000: (10, 0)}
"""People of B.2 → brands and the paper's number of parts; 0: no split is run beside it."""
METRICS = ("PCC", "MSD", "MS", "SCR", "BSP", "objective", "CPU s")


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result and its CPU seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def b1(seed: int, k: int) -> None:
    """`fast` beside the bound that `exact` proves: the optimum for k = 2 and 3, else to one in a hundred."""
    problem = simulated_problem(300, B1_SHARES, seed, k)
    ours, spent = timed(lambda: fast(problem, np.random.default_rng(1)))
    proven, proof = timed(lambda: exact(problem, np.random.default_rng(1), 600, 0.0 if k < 4 else 0.01))
    print(
        f"  data {seed} k {k}: fast {ours.objective:.2f} in {spent:.1f} CPU s, "
        f"{ours.objective / proven.bound - 1:.2%} above the proven bound (its own: {ours.gap:.2%}); "
        f"exact {proven.objective:.2f}, gap {proven.gap:.2%} in {proof:.0f} CPU s",
        flush=True,
    )


def paper(seed: int, k: int) -> None:
    """`fast` beside the paper's own program in six random parts, each given a minute of HiGHS at most."""
    problem = simulated_problem(300, B1_SHARES, seed, k)
    ours, spent = timed(lambda: fast(problem, np.random.default_rng(1)))
    theirs, time_of_theirs = timed(lambda: paper_split(problem, 6, np.random.default_rng(1), 60))
    print(
        f"  data {seed} k {k}: objective {ours.objective / theirs:.3f}, time 1/{time_of_theirs / spent:.0f} "
        f"of the paper's program split in 6 ({theirs:.1f} in {time_of_theirs:.0f} CPU s)",
        flush=True,
    )


def table_a1(seed: int, k: int) -> list[float]:
    """Table A1: loss of the whole problem (q = 1) and of random splits, averages and deviations over them.

    Returns the mean CPU seconds by q, for Figure A1.
    """
    print(f"  data {seed} k {k}  " + "".join(f"{name:>17}" for name in METRICS))
    seconds = []
    for parts in PARTS:
        runs = [losses(seed, k, parts, number) for number in range(1 if parts == 1 else REPLICATES)]
        figures = np.array(runs)
        spread = figures.std(axis=0)
        cells = [
            f"{mean:.2f} ({apart:.2f})" for mean, apart in zip(figures.mean(axis=0), spread, strict=True)
        ]
        print(f"    q = {parts:<8}" + "".join(f"{cell:>17}" for cell in cells), flush=True)
        seconds.append(float(figures[:, -1].mean()))
    print(f"    fast takes {seconds[0] / seconds[-1]:.2f} x the time of split with q = 6", flush=True)
    return seconds


def losses(seed: int, k: int, parts: int, replicate: int) -> list[float]:
    table = simulated_panel(300, B1_SHARES, seed)
    brands = [str(name) for name in table.columns if name != "who"]
    settings = {"k": k, "solver": "fast" if parts == 1 else "split", "parts": parts}
    done = run_table_method("kmm", table, {"id": "who", "qid": brands}, 1 + replicate, settings)
    before, after = (brand_metrics(each, "who", brands) for each in (table, done.table))
    return [
        done.report["changed_cells_percent"],
        done.report["msd_per_record"],
        mapd(before.market_share, after.market_share),
        mapd(before.requirements, after.requirements),
        mapd(before.switching, after.switching),
        done.report["objective"],
        done.report["cpu_seconds"],
    ]


def figure_a1(seconds: dict[tuple[int, int], list[float]]) -> str:
    """Figure A1: CPU time by k and the number of parts."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "kakurenbo", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        for k in LEVELS:
            curves = [found for (_, level), found in seconds.items() if level == k]
            axes.plot(list(PARTS), np.mean(curves, axis=0), marker="o", label=f"k = {k}")
        axes.set(xlabel="parts q (1: fast, the whole problem)", ylabel="CPU seconds")
        axes.set_ylim(bottom=0)
        axes.legend()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def b2(people: int) -> None:
    brands, parts = SIZES[people]
    problem = simulated_problem(people, [1 / brands] * brands, 1, 7)
    ours, spent = timed(lambda: fast(problem, np.random.default_rng(1)))
    line = (
        f"  {people} people, {problem.n_rows} rows, {problem.size} incidences: objective "
        f"{ours.objective:.0f}, {ours.objective / ours.bound:.3f} x its bound, {spent:.0f} CPU s, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most so far"
    )
    if parts:
        theirs, peer = timed(lambda: split(problem, np.random.default_rng(1), parts))
        line += (
            f"; {ours.objective / theirs.objective:.2f} x the objective and {spent / peer:.1f} x the time "
            f"of the random split in {parts}"
        )
    print(line, flush=True)


def main() -> None:
    fast(simulated_problem(60, B1_SHARES, 9, 3), np.random.default_rng(1), 0.01)
    print("B.1, 300 people, four brands")
    data = range(4) if FULL else (0,)
    for seed in data:
        for k in LEVELS:
            b1(seed, k)
    seconds = {(seed, k): table_a1(seed, k) for seed in data for k in LEVELS}
    if os.environ.get("KAKURENBO_PLOT"):
        Path(os.environ["KAKURENBO_PLOT"], "kmm-times.svg").write_text(figure_a1(seconds), encoding="utf-8")
    for seed in data:
        for k in LEVELS:
            paper(seed, k)
    print("B.2, k = 7")
    for people in SIZES if FULL else (1_000,):
        b2(people)


if __name__ == "__main__":
    main()
