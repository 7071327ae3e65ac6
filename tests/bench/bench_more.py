"""Odds-ratio masking against data shuffling: 50,000 rows as in Qian and Xie 5.6; the simulation of 5.1.

The paper's own ratios are 22 s : 12 s with rounding to one decimal and about 180 s : 12 s with three. With
KAKURENBO_LONG set, 500 replications of 5.1 are compared with Tables 1 and 2; KAKURENBO_LONG=100 makes 100.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd

from anonymizers.table_registry import run_table_method
from arithmetic import exp, sine
from tests.chance import correlated
from tests.masking.comparison import LIMIT, N_ROWS, Row, compared
from tests.masking.printed import TABLE_3
from tests.masking.simulation import explained, simulate

COLUMNS = {"confidential": ["home", "mortgage", "assets"], "given": ["gender", "married", "age"]}
# Table 8, column "Original": the rank correlations of the organisation's data warehouse.
RANK_CORRELATIONS = {
    ("home", "age"): 0.57146,
    ("home", "mortgage"): 0.58229,
    ("home", "assets"): 0.68129,
    ("mortgage", "age"): 0.28334,
    ("mortgage", "assets"): 0.78156,
    ("assets", "married"): 0.07426,
    ("assets", "age"): 0.37367,
}
NAMES = ("gender", "married", "age", "home", "mortgage", "assets")


def main() -> None:
    table = warehouse(50_000, np.random.default_rng(56))
    compare(table)
    long = os.environ.get("KAKURENBO_LONG", "")
    for n in (100, 500, 1000) if long else (100,):
        replay(n, int(long) if long.isdigit() and int(long) > 1 else 500 if long else 20)


def warehouse(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """A table with the rank correlations of Table 8, skewed amounts and more than 10,000 distinct values."""
    ranks = np.eye(len(NAMES))
    for (first, second), value in RANK_CORRELATIONS.items():
        i, j = NAMES.index(first), NAMES.index(second)
        # A column cut in two keeps √(3/4) of its rank correlations.
        ranks[i, j] = ranks[j, i] = value / np.sqrt(0.75) if "married" in (first, second) else value
    normal = correlated(rng, 2 * sine(np.pi / 6 * ranks), n)
    return pd.DataFrame(
        {
            "gender": np.where(normal[:, 0] > 0, 1, 0),
            "married": np.where(normal[:, 1] > 0, 1, 0),
            "age": np.clip(np.rint(45 + 13 * normal[:, 2]), 18, 90).astype(int),
            "home": np.rint(exp(12 + 0.5 * normal[:, 3])),
            "mortgage": np.rint(exp(11 + 0.8 * normal[:, 4])),
            "assets": np.rint(exp(12.5 + 0.9 * normal[:, 5])),
        }
    )


def compare(table: pd.DataFrame) -> None:
    def run(method: str, **settings: str) -> Callable[[], pd.DataFrame]:
        return lambda: run_table_method(method, table, COLUMNS, 1, settings).table

    runs = {
        "dsp": run("dsp"),
        "more-s, 1 decimal": run("more-s", transform="cdf", decimals="1"),
        "more-s, 3 decimals": run("more-s", transform="cdf", decimals="3"),
        "more-s, 3 decimals, 5 subsets": run("more-s", transform="cdf", decimals="3", subsets="5"),
    }
    before = table.corr("spearman").to_numpy()
    times = {}
    for name, masked in runs.items():
        masked()
        times[name] = min(cpu_seconds(masked) for _ in range(3))
        tracemalloc.start()
        change = np.abs(masked().corr("spearman").to_numpy() - before).max()
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        ratio = times[name] / times["dsp"]
        print(
            f"{name:<32}{ratio:6.2f} times dsp, rank correlations kept to {change:.4f}, peak {peak:.0f} MiB"
        )


def cpu_seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def replay(n: int, replications: int) -> None:
    """Every row of Tables 1 and 2 beside ours, with the distance in standard errors and a verdict."""
    print(f"-- 5.1 with N = {n}, {replications} replications: ours (deviation), printed, distance in errors,")
    print(f"   which disagrees beyond {LIMIT:.1f}: in all {N_ROWS} rows together once in a million by chance")
    rows = compared(n, simulate(n, replications, seed=1))
    print(*rows, sep="\n")
    print(f"{sum(row.agrees for row in rows)} of {len(rows)} agree, {beyond(rows, 2)} are beyond two errors")
    for correlation, printed_row in TABLE_3[n].items():
        for method, share in zip(("dsp", "more-p", "more-s"), printed_row, strict=True):
            ours = explained(method, n, correlation, min(replications, 50), seed=3).mean()
            print(
                f"{method} explained at ρ = {correlation}: {ours:.6f}, squared {ours**2:.6f}, printed {share}"
            )


def beyond(rows: list[Row], errors: float) -> int:
    return sum(row.distance > errors for row in rows)
