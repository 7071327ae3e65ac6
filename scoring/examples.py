"""Tables small enough to check by hand; the examples in the measures' documentation use them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from datasets.tables import MASTER_COLUMNS, TRANSACTION_COLUMNS, Integers, PurchaseData

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


def four_panelists() -> pd.DataFrame:
    """Table 1 of Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data" (2022)."""
    trips = ["A222", "A201", "A220", "B220", "B221", "B302", "C201", "C221", "C310", "D310", "D302"]
    rows = [(trip[0], int(trip[1]), int(trip[2]), int(trip[3])) for trip in trips]
    return pd.DataFrame(rows, columns=["panelist", "week", "lays", "ruffles"])


def eight_patients() -> pd.DataFrame:
    """Table 3a of Kartal, Li, "Protecting Privacy When Sharing and Releasing Data with Multiple Records per
    Person" (2020), with the groups of Table 3b (``k_group``) and of Table 6b (``gh_group``)."""
    rows = [
        ("Ashley", 86, "Female", 20375, "Asthma", 1, 1),
        ("Ashley", 86, "Female", 20375, "Reflux", 1, 1),
        ("Bob", 85, "Male", 20375, "Reflux", 1, 2),
        ("Charlie", 69, "Male", 20048, "Pneumonia", 2, 3),
        ("Charlie", 70, "Male", 20048, "Pneumonia", 2, 3),
        ("Charlie", 71, "Male", 20048, "Pneumonia", 2, 3),
        ("Charlie", 71, "Male", 20048, "Gastritis", 2, 3),
        ("Charlie", 71, "Male", 20048, "Gastritis", 2, 3),
        ("Diana", 84, "Female", 20090, "Ulcer", 3, 1),
        ("Diana", 84, "Female", 20090, "Gastritis", 3, 1),
        ("Edward", 84, "Male", 20090, "Pneumonia", 3, 2),
        ("Edward", 84, "Male", 20090, "Gastritis", 3, 2),
        ("Fred", 78, "Male", 20400, "Pneumonia", 4, 2),
        ("Greg", 78, "Male", 20420, "Ulcer", 4, 2),
        ("Harry", 74, "Male", 20400, "Asthma", 4, 3),
        ("Harry", 75, "Male", 20400, "Bronchitis", 4, 3),
        ("Harry", 76, "Male", 20400, "Asthma", 4, 3),
        ("Harry", 74, "Male", 20400, "Ulcer", 4, 3),
        ("Harry", 76, "Male", 20400, "Ulcer", 4, 3),
    ]
    names = ["name", "age", "gender", "zip", "disease", "k_group", "gh_group"]
    return pd.DataFrame(rows, columns=names)
