"""Tables small enough to check by hand; the examples in the measures' documentation use them."""

from __future__ import annotations

import pandas as pd


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
