"""RFM: how far the customers moved between the cells of recency, frequency and money."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.tables import Codes, Integers
from games.shop.data.amounts import amounts
from games.shop.data.tables import PurchaseData, Transactions
from scoring.exact import Whole, exact_sums
from scoring.measure import Measure, Measurement
from scoring.pairing import distinct_pairs

CLASSES = 5


def rfm(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Normalised root mean square difference of the shares of customers in 125 RFM cells.

    A customer's recency R is the days from the last purchase to the day after the last date of T, frequency F
    the number of receipts, money M = Σ price · quantity. Each is cut into five classes by the quintiles *of
    T* (a value equal to a quintile goes low), which makes 5³ = 125 cells. With share and share′ the fraction
    of the rows of M and of M′ in a cell:

        RFM = sqrt(mean over cells of (share′ − share)²) / sqrt(mean over cells of share²).

    Platform definition v1: the quintiles are those of linear interpolation (the default of NumPy and R),
    compared in whole numbers; a customer without a purchase has F = M = 0 and counts as last seen the day
    before the first date of T. P is not needed.

    From 0, lower is better; above 1 the cells have little to do with the original's. The detail gives the
    cut points and the cells that changed most.

    Reference: Nakagawa, "Anonymization and Re-identification for Personal Transaction Data" (PWSCUP 2016).

    >>> from games.shop.measure_examples import tea_and_cake
    >>> rfm(*tea_and_cake()).value  # of two customers nobody changes class
    0.0
    """
    n, n_after = original.n_customers, released.n_customers
    if n == 0:
        return Measurement(0.0, {"cells": [], "cuts": {}})
    habits, count, count_after = _counted(original, released)
    # Over whole numbers, and divided once: exact in any order.
    scale = max(n_after, 1)
    moved = sum((b * n - a * scale) ** 2 for a, b in zip(count, count_after, strict=True))
    value = math.sqrt(moved / (scale**2 * sum(a * a for a in count)))
    return Measurement(value, _detail(habits, count, count_after, n, scale))


def rfm_cells(original: PurchaseData, released: PurchaseData) -> tuple[list[int], list[int]]:
    """Customers in each of the 125 cells before and after; cell (r, f, m), from 0, is at (r·5 + f)·5 + m.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> original, released, _ = tea_and_cake()
    >>> before, after = rfm_cells(original, released)
    >>> sum(before), before == after
    (2, True)
    """
    if original.n_customers == 0:
        return [0] * CLASSES**3, [0] * CLASSES**3
    _, count, count_after = _counted(original, released)
    return count, count_after


def _counted(original: PurchaseData, released: PurchaseData) -> tuple[_Habits, list[int], list[int]]:
    first, last = _date_range(original)
    habits, habits_after = (_Habits.of(data, first, last) for data in (original, released))
    count, count_after = (
        np.bincount(_cells(habits, subject), minlength=CLASSES**3).tolist()
        for subject in (habits, habits_after)
    )
    return habits, count, count_after


@dataclass(frozen=True)
class _Habits:
    """Recency in days, receipts, and spending in hundredths of every customer."""

    recency: Integers
    frequency: Integers
    money: Whole

    @classmethod
    def of(cls, data: PurchaseData, first: int, last: int) -> _Habits:
        rows, n = data.transactions, data.n_customers
        never = np.iinfo(np.int32).min
        seen = np.full(n, never, dtype=np.int32)
        np.maximum.at(seen, rows.customer, rows.day)
        recency = last + 1 - np.where(seen == never, first - 1, seen).astype(np.int64)
        money = exact_sums(rows.customer, amounts(rows), n)
        return cls(recency, _receipts(rows, n), money)


def _receipts(rows: Transactions, n: int) -> Integers:
    """How many different receipts each customer has."""
    n_receipts = max(rows.receipt.n_labels, 1)
    owner = np.full(n_receipts, -1, dtype=np.int32)
    owner[rows.receipt.codes] = rows.customer
    counted = np.bincount(owner[owner >= 0], minlength=n)
    # A receipt nearly always has one owner; only the rows of others on it need sorting.
    other = np.flatnonzero(owner[rows.receipt.codes] != rows.customer)
    pairs = distinct_pairs(rows.customer[other], rows.receipt.codes[other], n, n_receipts)
    return counted + np.bincount((pairs // n_receipts).astype(np.int64), minlength=n)


def _date_range(data: PurchaseData) -> tuple[int, int]:
    day: Codes = data.transactions.day
    return (int(day.min()), int(day.max())) if len(day) else (0, 0)


def _cuts(values: Whole) -> list[int]:
    """Five times each of the four quintiles, exactly: with linear interpolation they are fifths."""
    ordered = np.sort(values)
    cuts = []
    for k in range(1, CLASSES):
        below, fifths = divmod(k * (len(ordered) - 1), CLASSES)
        here = int(ordered[below])
        above = int(ordered[min(below + 1, len(ordered) - 1)])
        cuts.append(CLASSES * here + (above - here) * fifths)
    return cuts


def _classes(reference: Whole, values: Whole) -> Integers:
    """The class 0 … 4 of each value: how many quintiles of the reference lie strictly below it."""
    # v > cut/5 is v > floor(cut/5) for whole v, which keeps the comparison inside the integers.
    floors = [cut // CLASSES for cut in _cuts(reference)]
    return np.sum([values > floor for floor in floors], axis=0, dtype=np.int64)


def _cells(reference: _Habits, subject: _Habits) -> Integers:
    r, f, m = (
        _classes(getattr(reference, name), getattr(subject, name))
        for name in ("recency", "frequency", "money")
    )
    return (r * CLASSES + f) * CLASSES + m


def _detail(
    habits: _Habits, count: list[int], count_after: list[int], n: int, n_after: int
) -> dict[str, Any]:
    change = [b / n_after - a / n for a, b in zip(count, count_after, strict=True)]
    worst = sorted(range(CLASSES**3), key=lambda cell: (-abs(change[cell]), cell))[:10]
    cells = [
        {
            "recency": cell // 25 + 1,
            "frequency": cell // 5 % 5 + 1,
            "money": cell % 5 + 1,
            "original": count[cell] / n,
            "released": count_after[cell] / n_after,
        }
        for cell in worst
        if change[cell]
    ]
    scales = {"recency": 1, "frequency": 1, "money": 100}
    cuts = {
        name: [cut / (CLASSES * scale) for cut in _cuts(getattr(habits, name))]
        for name, scale in scales.items()
    }
    return {"worst_cells": cells, "cuts": cuts, "cells_in_use": sum(1 for a in count if a)}


RFM = Measure(
    name="rfm",
    title="Recency, frequency, money",
    meaning="How differently the customers spread over the 125 cells of an RFM analysis.",
    function=rfm,
    low=0.0,
    high=None,
    better="lower",
    reference="Nakagawa, Anonymization and Re-identification for Personal Transaction Data (PWSCUP 2016)",
    version=1,
    uses_truth=False,
)
