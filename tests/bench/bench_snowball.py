"""sno-unicity: our peeling against the paper's loop of table subsetting."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from scoring.risk.sno_unicity import sno_unicity

INCIDENCES = 10_000_000
SIZES = (10_000, 30_000, 60_000, 100_000, 150_000)
PATIENCE = 60.0
"""Seconds of the loop after which no larger size is tried."""
MOST_CELLS = 400_000_000
"""One byte a cell: larger contingency tables do not fit beside other work."""


def panel(n_rows: int, seed: int = 1) -> pd.DataFrame:
    """Ten records a person on average over skewed quasi-identifiers: some unique, most shared."""
    rng = np.random.default_rng(seed)
    person = rng.integers(0, n_rows // 10, n_rows)
    qid = (n_rows * rng.random(n_rows) ** 3 / 4).astype(np.int64)
    return pd.DataFrame({"person": person, "week": qid % 52, "units": qid // 52})


def contingency(table: pd.DataFrame) -> np.ndarray:
    """The two-way table of section 3.1: a row a QID, a column a panelist, 1 where one has the other."""
    qid = table.groupby(["week", "units"]).ngroup().to_numpy()
    person = pd.factorize(table["person"])[0]
    counts = np.zeros((qid.max() + 1, person.max() + 1), dtype=np.uint8)
    counts[qid, person] = 1
    return counts


def by_contingency_table(table: pd.DataFrame) -> float:
    """The procedure of section 3.1, word by word."""
    counts = contingency(table)
    n_people, found = counts.shape[1], 0
    while True:
        unique = counts[counts.sum(axis=1) == 1]
        identifiable = unique.sum(axis=0) >= 1
        if not identifiable.any():
            return found / n_people
        found += int(identifiable.sum())
        counts = counts[:, ~identifiable]


def by_grouping(table: pd.DataFrame) -> float:
    """The same on the list of pairs instead of a table: what a good pandas user would write."""
    held = table.drop_duplicates()
    n_people, found = held["person"].nunique(), 0
    while True:
        alone = held.groupby(["week", "units"])["person"].transform("size") == 1
        people = held.loc[alone, "person"].unique()
        if len(people) == 0:
            return found / n_people
        found += len(people)
        held = held[~held["person"].isin(people)]


def ours(table: pd.DataFrame) -> float:
    return sno_unicity(table, "person", ["week", "units"]).value


def timed(call: Callable[[pd.DataFrame], float], table: pd.DataFrame) -> tuple[float, float]:
    """Processor time, which other work on the machine disturbs less, and the value."""
    start = time.process_time()
    value = call(table)
    return time.process_time() - start, value


def main() -> None:
    ours(panel(1000))
    for n_rows in SIZES:
        table = panel(n_rows)
        cells = table.groupby(["week", "units"]).ngroups * table["person"].nunique()
        if cells > MOST_CELLS:
            break
        loop, expected = timed(by_contingency_table, table)
        quick, value = min(timed(ours, table) for _ in range(3))
        assert value == expected, "both must find the same people"
        print(f"{n_rows:>10,} incidences: the paper's loop takes {loop / quick:7.1f} × our time", flush=True)
        if loop > PATIENCE:
            break
    table = panel(INCIDENCES)
    quick, value = timed(ours, table)
    grouping, expected = timed(by_grouping, table)
    assert value == expected
    print(f"{INCIDENCES:>10,} incidences: ours {quick:.1f} s of one core")
    print(f"{'':>10} a loop over grouped pairs instead of a table takes {grouping / quick:.1f} × our time")


if __name__ == "__main__":
    main()
