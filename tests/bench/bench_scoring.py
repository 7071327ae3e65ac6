"""Checking and measuring an entry: against pandas merely reading it, and as the data grows."""

from __future__ import annotations

import gc
import os
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from datasets.tables import Coded, frozen
from games.shop.data.check import ENTRY_FILES, check_entry
from games.shop.data.folder import read_original, write_release
from games.shop.data.rules import FileRules
from games.shop.data.tables import Master, PurchaseData, Release, Transactions
from games.shop.measures.registry import MEASURES
from scoring.measure import Measurement
from scoring.run import measure_release

FOUR = MEASURES[:4]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "pwscup2016"
GROWTH = (1, 10, 100, 1000) if os.environ.get("KAKURENBO_BENCH_LARGE") else (1, 10, 100)
"""With KAKURENBO_BENCH_LARGE set, 38 million rows are measured too; that takes a minute and 5 GiB."""
REPEATS = 7


def entry_of(original: PurchaseData, share: float = 0.2, seed: int = 1) -> Release:
    """New names, customers in another order, and a share of the rows with items and prices swapped."""
    rng = np.random.default_rng(seed)
    n, rows = original.n_customers, original.transactions
    truth = rng.permutation(n)
    place = np.empty(n, dtype=np.int32)
    place[truth] = np.arange(n, dtype=np.int32)
    chosen = np.flatnonzero(rng.random(rows.n_rows) < share)
    other = rng.permutation(chosen)
    item, price = rows.item.codes.copy(), rows.price.copy()
    item[chosen], price[chosen] = item[other], price[other]
    columns = {
        name: Coded(
            frozen(getattr(original.master, name).codes[truth]), getattr(original.master, name).labels
        )
        for name in ("gender", "birthday", "country")
    }
    ids = np.array([f"p{number}" for number in range(n)], dtype=object)
    swapped = replace(
        rows,
        customer=frozen(place[rows.customer]),
        receipt=Coded(frozen(rows.receipt.codes.copy()), rows.receipt.labels),
        day=frozen(rows.day.copy()),
        minute=frozen(rows.minute.copy()),
        item=Coded(frozen(item), rows.item.labels),
        price=frozen(price),
        quantity=frozen(rows.quantity.copy()),
    )
    return Release(PurchaseData(Master(frozen(ids), **columns), swapped), truth)


def grown(original: PurchaseData, times: int) -> PurchaseData:
    """The original side by side with copies of itself that have customers and receipts of their own."""
    n, rows, people = original.n_customers, original.transactions, original.master
    copy = np.repeat(np.arange(times, dtype=np.int32), rows.n_rows)

    def tiled(column: Coded) -> Coded:
        return Coded(frozen(np.tile(column.codes, times)), column.labels)

    receipts = np.array([f"{k}-{r}" for k in range(times) for r in rows.receipt.labels], dtype=object)
    ids = np.array([f"{k}-{i}" for k in range(times) for i in people.ids], dtype=object)
    master = Master(frozen(ids), tiled(people.gender), tiled(people.birthday), tiled(people.country))
    transactions = Transactions(
        customer=frozen(np.tile(rows.customer, times) + copy * np.int32(n)),
        receipt=Coded(
            frozen(np.tile(rows.receipt.codes, times) + copy * np.int32(rows.receipt.n_labels)), receipts
        ),
        day=frozen(np.tile(rows.day, times)),
        minute=frozen(np.tile(rows.minute, times)),
        item=tiled(rows.item),
        price=frozen(np.tile(rows.price, times)),
        quantity=frozen(np.tile(rows.quantity, times)),
    )
    return PurchaseData(master, transactions)


def best(call: Callable[[], object], repeats: int) -> float:
    """Least processor time of some runs, which other work on the machine disturbs least."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        spent.append(time.process_time() - start)
    return min(spent)


def against_reading(original: PurchaseData) -> None:
    release = entry_of(original)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_release(folder, release)
        files = {part: folder / part for part in ENTRY_FILES}

        def ours() -> dict[str, Measurement]:
            checked = check_entry(files, original, FileRules())
            assert checked.release is not None
            return measure_release(original, checked.release, FOUR)

        def reading() -> None:
            for part in ENTRY_FILES:
                pd.read_csv(folder / part, header=None)

        check = best(lambda: check_entry(files, original, FileRules()), REPEATS)
        whole, read = best(ours, REPEATS), best(reading, REPEATS)
    print(f"2016 data: check and four measures take {whole / read:.2f} × pandas merely reading the entry")
    print(f"           (the check alone {check / read:.2f} ×, the measures {(whole - check) / read:.2f} ×)")


def as_it_grows(original: PurchaseData) -> None:
    for times in GROWTH:
        large = grown(original, times)
        release = entry_of(large)
        repeats = 3 if times <= 100 else 2
        parts = {m.name: best(partial(measure_release, large, release, [m]), repeats) for m in FOUR}
        scale = 1000 / (large.transactions.n_rows / 1e6)
        told = ", ".join(f"{name} {scale * spent:.0f}" for name, spent in parts.items())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        total = scale * sum(parts.values())
        print(
            f"{times:>5} × the data: {total:6.0f} ms a million rows ({told}); peak {peak:.2f} GiB", flush=True
        )
        del large, release
        gc.collect()


def main() -> None:
    if not DATA.is_dir():
        print("the real data is not on this machine; nothing to measure")
        return
    original = read_original(DATA)
    against_reading(original)
    as_it_grows(original)


if __name__ == "__main__":
    main()
