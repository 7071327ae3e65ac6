"""Small tables for the tests of attacks, made from plain Python values."""

from __future__ import annotations

import numpy as np
import pandas as pd

from games.shop.data.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, PurchaseData


def dataset(master: list[tuple], transactions: list[tuple]) -> PurchaseData:
    return PurchaseData.from_frames(
        pd.DataFrame(master, columns=list(MASTER_COLUMNS), dtype=object),
        pd.DataFrame(transactions, columns=list(TRANSACTION_COLUMNS), dtype=object),
    )


def from_item_sets(item_sets: list[set[str]]) -> PurchaseData:
    """Customers who differ in nothing but their items."""
    people = [(f"c{row}", "f", "1970/1/1", "UK") for row in range(len(item_sets))]
    lines = [
        (f"c{row}", f"r{row}", "2011/1/1", "9:00", item, "1", 1)
        for row, items in enumerate(item_sets)
        for item in sorted(items)
    ]
    return dataset(people, lines)


def random_customers(rng: np.random.Generator, n_customers: int, n_items: int = 40) -> PurchaseData:
    """Customers with a few receipts each, popular and rare items, and some who bought nothing."""
    people = [
        (f"c{row:04d}", "fm"[rng.integers(2)], f"19{rng.integers(40, 99)}/{rng.integers(1, 13)}/5", "UK")
        for row in range(n_customers)
    ]
    lines = []
    for row in range(n_customers):
        for receipt in range(rng.integers(0, 4)):
            day = f"2011/{rng.integers(1, 13)}/{rng.integers(1, 29)}"
            for _ in range(rng.integers(1, 6)):
                item = int(n_items * rng.random() ** 2)
                price = f"{1 + item % 7}.{rng.integers(1, 10)}"
                lines.append(
                    (f"c{row:04d}", f"r{row}-{receipt}", day, "9:30", f"i{item}", price, rng.integers(1, 9))
                )
    return dataset(people, lines)


def reordered(
    data: PurchaseData, rows_of_master: np.ndarray, rows_of_transactions: np.ndarray
) -> PurchaseData:
    """The same people and purchases in another order of rows."""
    master, transactions = data.to_frames()
    return PurchaseData.from_frames(master.iloc[rows_of_master], transactions.iloc[rows_of_transactions])
