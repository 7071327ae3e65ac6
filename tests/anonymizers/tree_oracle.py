"""Table 5 of Kartal, Li (2020) word by word in plain Python: slow, and sharing no code with the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pandas as pd

Group = frozenset[str]


class EqualRatios(Exception):
    """Two splits of a node have the same ratio: the paper does not say which comes first."""


def balance(rows: pd.DataFrame) -> Fraction:
    counts = Counter(rows["person"])
    return 1 - sum(Fraction(count, len(rows)) ** 2 for count in counts.values())


def affiliation(rows: pd.DataFrame) -> Fraction:
    people = rows["person"].nunique()
    return max(
        Fraction(rows.groupby(column)["person"].nunique().max(), people) for column in ("secret", "second")
    )


def splits(rows: pd.DataFrame, numbers: list[str], categories: list[str]) -> Iterator[tuple[Fraction, Group]]:
    """Every candidate: its ratio and who goes left. Numbers are exact fractions of small whole numbers."""
    whole = balance(rows)
    for column in numbers + categories:
        for left in halves(rows, column, column in categories):
            inside = rows["person"].isin(left)
            parts = [rows[inside], rows[~inside]]
            change = whole - sum(Fraction(len(part), len(rows)) * balance(part) for part in parts)
            values = rows[column] if column in numbers else (inside.astype(int))
            mean = Fraction(int(values.sum()), len(rows))
            variance = sum((int(value) - mean) ** 2 for value in values) / len(rows)
            # Whole numbers 0…8 are scaled by the range of the table: /8 each, so /64 in the variance.
            yield change / (variance / 64 if column in numbers else variance), left


def halves(rows: pd.DataFrame, column: str, categorical: bool) -> Iterator[Group]:
    people = rows.groupby("person")
    if categorical:
        of = people[column].first()
        present = sorted(set(of))
        for value in present if len(present) > 2 else present[: len(present) - 1]:
            yield frozenset(of[of == value].index)
        return
    place = {
        person: (Fraction(int(part[column].sum()), len(part)), len(part), int(part.index[0]))
        for person, part in people
    }
    order = sorted(place, key=lambda person: place[person])
    if place[order[0]][0] == place[order[-1]][0]:
        return
    left_records, best = 0, (len(rows), 0)
    for at, person in enumerate(order[:-1]):
        left_records += place[person][1]
        best = min(best, (abs(2 * left_records - len(rows)), -at))
    yield frozenset(order[: 1 - best[1]])


def groups(
    rows: pd.DataFrame, numbers: list[str], categories: list[str], g: Fraction, h: Fraction
) -> set[Group]:
    """Steps 1 to 3: the least ratio first, undo where a part breaks g* or h*, go on in both parts."""
    ranked = sorted(splits(rows, numbers, categories), key=lambda candidate: candidate[0])
    if len({ratio for ratio, _ in ranked}) < len(ranked):
        raise EqualRatios
    for _, left in ranked:
        inside = rows["person"].isin(left)
        parts = [rows[inside], rows[~inside]]
        if all(balance(part) >= g and affiliation(part) <= h for part in parts):
            return set().union(*(groups(part, numbers, categories, g, h) for part in parts))
    return {frozenset(rows["person"])}
