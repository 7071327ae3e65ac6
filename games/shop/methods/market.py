"""Purchases of several people in a period, added up item by item: what aggregation and clustering share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonymizers.engines.benchmark_steps import distinct_pairs
from datasets.tables import Coded, Integers, frozen
from games.shop.data.amounts import MAX_PRICE, MAX_QUANTITY
from games.shop.data.tables import PurchaseData, Transactions

PERIODS = {"week": 7, "month": 30, "quarter": 91, "all": 10**6}
"""Days of a period, counted from the first date of T."""


NOON = 12 * 60


def period_of(rows: Transactions, period: str) -> Integers:
    """The number of the period of every row."""
    return (rows.day.astype(np.int64) - int(rows.day.min())) // PERIODS[period]


@dataclass(frozen=True, eq=False)
class Market:
    """For every cell (a crowd in a period, and an item): units, mean price, and how many different buyers.

    ``cell[i]`` is the cell of row i of T; ``crowd`` and ``item`` describe the cells.
    """

    cell: Integers
    crowd: Integers
    item: Integers
    units: Integers
    price: Integers
    buyers: Integers

    @classmethod
    def of(cls, rows: Transactions, crowd: Integers) -> Market:
        """Add up the rows by crowd (any number per row) and item."""
        keys = crowd * rows.item.n_labels + rows.item.codes
        distinct, cell = np.unique(keys, return_inverse=True)
        units = np.bincount(cell, weights=rows.quantity).astype(np.int64)
        spent = np.bincount(cell, weights=rows.amount)
        bought, _ = distinct_pairs(cell, rows.customer)
        return cls(
            cell=cell,
            crowd=distinct // rows.item.n_labels,
            item=distinct % rows.item.n_labels,
            units=units,
            price=np.clip(np.rint(spent / units), 1, MAX_PRICE).astype(np.int64),
            buyers=np.bincount(bought),
        )


def first_days(rows: Transactions, crowd: Integers) -> dict[int, int]:
    """The first day of sale of every crowd."""
    order = np.lexsort((rows.day, crowd))
    numbers, first = np.unique(crowd[order], return_index=True)
    return dict(zip(numbers.tolist(), rows.day[order][first].tolist(), strict=True))


def draft_of(
    original: PurchaseData, customer: Integers, visit: Integers, day: Integers, item: Integers,
    price: Integers, quantity: np.ndarray,
) -> PurchaseData:  # fmt: skip
    """A draft with one receipt per customer and visit, all at noon."""
    labels = original.transactions.item.labels
    visits, names = np.unique(customer * (int(visit.max()) + 1) + visit, return_inverse=True)
    receipts = np.array([f"{name:09d}" for name in range(len(visits))], dtype=object)
    used, codes = np.unique(item, return_inverse=True)
    rows = Transactions(
        customer=frozen(customer.astype(np.int32)),
        receipt=Coded.of(names, receipts),
        day=frozen(day.astype(np.int32)),
        minute=frozen(np.full(len(customer), NOON, dtype=np.int32)),
        item=Coded.of(codes, labels[used]),
        price=frozen(price.astype(np.int64)),
        quantity=frozen(np.clip(np.rint(quantity), 1, MAX_QUANTITY).astype(np.int64)),
    )
    return PurchaseData(original.master, rows)
