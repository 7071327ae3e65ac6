"""Small shops that a person can check by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datasets.tables import Integers
from games.shop.data.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, PurchaseData

Rows = list[tuple[str, ...]]


def tea_and_cake() -> tuple[PurchaseData, PurchaseData, Integers]:
    """Two customers: A's cake was deleted, B is unchanged; the release lists B first."""
    original = _dataset(
        [("A", "f", "1970/1/1", "France"), ("B", "m", "1980/1/1", "Spain")],
        [
            ("A", "1", "2011/1/1", "9:00", "tea", "1.5", "2"),
            ("A", "1", "2011/1/1", "9:00", "cake", "3", "1"),
            ("B", "2", "2011/1/2", "9:30", "tea", "1.5", "4"),
        ],
    )
    released = _dataset(
        [("y", "m", "1980/1/1", "Spain"), ("x", "f", "1970/1/1", "France")],
        [
            ("y", "2", "2011/1/2", "9:30", "tea", "1.5", "4"),
            ("x", "1", "2011/1/1", "9:00", "tea", "1.5", "2"),
        ],
    )
    return original, released, np.array([1, 0])


def five_customers() -> tuple[PurchaseData, PurchaseData, Integers]:
    """Five customers with one purchase each; in the release, E's cake for 5 became jam for 2."""
    bought = [("A", "tea"), ("B", "tea"), ("C", "cake"), ("D", "cake"), ("E", "cake")]
    people: Rows = [
        (name, "f" if name in "AB" else "m", "1970/1/1", "France" if name in "AB" else "Spain")
        for name, _ in bought
    ]
    rows: Rows = [
        (name, str(day), f"2011/1/{day}", "9:00", item, str(day), "1")
        for day, (name, item) in enumerate(bought, start=1)
    ]
    changed: Rows = [*rows[:4], ("E", "5", "2011/1/5", "9:00", "jam", "2", "1")]
    return _dataset(people, rows), _dataset(people, changed), np.arange(5)


def _dataset(people: Rows, rows: Rows) -> PurchaseData:
    return PurchaseData.from_frames(
        pd.DataFrame(people, columns=list(MASTER_COLUMNS)),
        pd.DataFrame(rows, columns=list(TRANSACTION_COLUMNS)),
    )
