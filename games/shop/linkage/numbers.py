"""Totals of customers, and their recency, frequency and money."""

from __future__ import annotations

import numpy as np

from arithmetic import log1p
from attacks.linkage.numeric_nearest import Floats
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData


def totals(data: PurchaseData) -> Integers:
    """Total spend of every customer in hundredths, exact."""
    total = np.zeros(data.n_customers, dtype=np.int64)
    np.add.at(total, data.transactions.customer, data.transactions.amount)
    return total


def rfm(data: PurchaseData, after: int) -> Floats:
    """log(1 + x) of recency (days from the last purchase to the day ``after``), receipts and spend.

    A customer who bought nothing was last seen a year before any purchase could be.
    """
    rows, n = data.transactions, data.n_customers
    last = np.full(n, after - 730, dtype=np.int64)
    np.maximum.at(last, rows.customer, rows.day)
    owner = np.unique(rows.customer.astype(np.int64) * max(rows.receipt.n_labels, 1) + rows.receipt.codes)
    frequency = np.bincount(owner // max(rows.receipt.n_labels, 1), minlength=n)
    return log1p(np.column_stack([np.maximum(after - last, 0), frequency, totals(data)]).astype(np.float64))


def scaled_rfm(original: PurchaseData, released: PurchaseData) -> tuple[Floats, Floats]:
    """Both tables' vectors in units of the original customers' standard deviations."""
    after = int(original.transactions.day.max(initial=0)) + 1
    left, right = rfm(original, after), rfm(released, after)
    spread = left.std(axis=0)
    spread[spread == 0] = 1
    return left / spread, right / spread
