"""Mondrian against public implementations: time and loss at the same k; growth of time up to 10⁶ records.

100,000 rows × 4 attributes of Online Retail (day, minute, price, quantity), k = 5; ours with cut=narrowing.
Peers: anonypy (PyPI) and a textbook Mondrian in NumPy, strict as in the paper. A slow peer is timed on fewer
rows, ours beside it on the same rows. Loss is the mean width of a record's cell over the width of its column
(NCP), and the mean distance to the group's mean (ANE). CPU time of one run; kernels are compiled before.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd

from anonymizers.engines.gh_tree.coding import Units, code_table
from anonymizers.engines.gh_tree.figures import average_normalised_error
from anonymizers.engines.gh_tree.partition import Rule, partition
from tests.conftest import SHARED_DATA

K = 5
COLUMNS = ["day", "minute", "price", "quantity"]
Groups = npt.NDArray[np.int64]


def retail_lines(n: int) -> pd.DataFrame:
    lines = pd.read_csv(SHARED_DATA / "online_retail" / "online_retail.csv.gz", dtype={"InvoiceNo": str})
    good = (lines["Quantity"] > 0) & (lines["UnitPrice"] > 0)
    lines = lines[good].sample(n, random_state=1).reset_index(drop=True)
    when = pd.to_datetime(lines["InvoiceDate"])
    return pd.DataFrame(
        {
            "row": np.arange(n),
            "day": (when - when.min()).dt.days,
            "minute": when.dt.hour * 60 + when.dt.minute,
            "price": lines["UnitPrice"],
            "quantity": lines["Quantity"],
        }
    )


def ours(table: pd.DataFrame) -> Groups:
    units = code_table(table, "row", COLUMNS, [], together=False)
    return partition(units, Rule("narrowing", k=K)).group


def anonypy(table: pd.DataFrame) -> Groups:
    from anonypy.mondrian import Mondrian  # type: ignore[import-not-found]

    group = np.empty(len(table), dtype=np.int64)
    for number, rows in enumerate(Mondrian(table, COLUMNS).partition(K)):
        group[rows] = number
    return group


def textbook(table: pd.DataFrame) -> Groups:
    """Strict Mondrian as LeFevre et al. (2006) print it: widest attribute first, ≤ median to the left."""
    values = table[COLUMNS].to_numpy(dtype=np.float64)
    scale = np.maximum(np.ptp(values, axis=0), 1e-300)
    group = np.empty(len(table), dtype=np.int64)
    waiting, number = [np.arange(len(table))], 0
    while waiting:
        rows = waiting.pop()
        part = values[rows]
        for column in np.argsort(-np.ptp(part, axis=0) / scale).tolist():
            left = part[:, column] <= np.median(part[:, column])
            if K <= left.sum() <= len(rows) - K:
                waiting += [rows[left], rows[~left]]
                break
        else:
            group[rows] = number
            number += 1
    return group


def loss(table: pd.DataFrame, group: Groups) -> tuple[float, float, int]:
    """NCP, ANE and the size of the smallest group."""
    units = code_table(table, "row", COLUMNS, [], together=False)
    widths = [
        (pd.Series(a.records).groupby(group).agg(np.ptp)).to_numpy()[pd.factorize(group, sort=True)[0]].mean()
        for a in units.attributes
    ]
    codes = pd.factorize(group, sort=True)[0]
    ane = average_normalised_error(units.attributes, codes, codes.max() + 1)
    return float(np.mean(widths)), ane, int(np.bincount(codes).min())


def timed(run: Callable[[], object]) -> tuple[float, object]:
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def against(name: str, peer: Callable[[pd.DataFrame], Groups], table: pd.DataFrame) -> None:
    try:
        theirs, group = timed(lambda: peer(table))
    except ImportError:
        print(f"{name:<10} not installed (pip install {name} to compare)")
        return
    own, our_group = timed(lambda: ours(table))
    (ncp, ane, size), (our_ncp, our_ane, our_size) = loss(table, group), loss(table, our_group)
    print(
        f"{name:<10} {len(table):>8} rows: time ×{theirs / own:.1f}, NCP ×{ncp / our_ncp:.2f}, "
        f"ANE ×{ane / our_ane:.2f} of ours; smallest group {size} and {our_size}, asked {K}"
    )


def people_with_records(n: int) -> pd.DataFrame:
    """About four records a person, five attributes of a person's own, a sensitive value."""
    rng = np.random.default_rng(1)
    person = rng.integers(0, n // 4, n)
    table = pd.DataFrame({"person": person, "secret": rng.integers(0, 500, n)})
    for j in range(5):
        table[f"x{j}"] = rng.integers(0, 1000, n // 4)[person]
    return table


def coded(n: int, together: bool) -> Units:
    return code_table(
        people_with_records(n), "person", [f"x{j}" for j in range(5)], ["secret"], together=together
    )


def growth(name: str, rule: Rule, together: bool) -> None:
    """Time per record and log N; a figure that does not grow means O(N log N)."""
    partition(coded(1000, together), rule)
    cost = {}
    for n in (10**4, 10**5, 10**6):
        units = coded(n, together)
        # The least of three runs: on a busy machine others share the caches.
        seconds = min(timed(lambda units=units: partition(units, rule))[0] for _ in range(3))
        cost[n] = seconds / (n * np.log2(n))
    base = cost[10**4]
    told = ", ".join(f"{n:,}: ×{value / base:.2f}" for n, value in cost.items())
    print(f"{name:<10} time / (N log N) × 5 attributes, of that at 10,000: {told}")


def main() -> None:
    partition(coded(1000, False), Rule("narrowing", k=K))
    table = retail_lines(100_000)
    against("textbook", textbook, table)
    against("anonypy", anonypy, table.head(5_000))
    growth("mondrian", Rule("narrowing", k=K), together=False)
    growth("gh-tree", Rule("balance-variance", g=0.8, h=0.5), together=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process, tables included: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
