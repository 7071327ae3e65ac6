"""Nearest customers by numbers: totals, and recency, frequency and money."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arithmetic import log1p
from attacks.attack import Guess
from datasets.tables import Integers, PurchaseData

Floats = npt.NDArray[np.float64]


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


def nearest_points(original: Floats, released: Floats) -> Guess:
    """Guess the nearest point, smallest row on ties; equal points form a tie class."""
    from scipy.spatial import KDTree

    places, group = np.unique(original, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group.ravel()))[:-1])
    first = np.array([rows[0] for rows in members])
    # Several places may be equally far: of those within reach of the search, take the smallest row.
    distance, place = KDTree(places).query(released, k=min(8, len(places)))
    distance, place = distance.reshape(len(released), -1), place.reshape(len(released), -1)
    candidates = np.where(distance == distance[:, :1], first[place], len(original))
    chosen = place[np.arange(len(released)), candidates.argmin(axis=1)]
    return Guess(first[chosen], chosen, tuple(members))


def nearest_numbers(original: Integers, released: Integers) -> Guess:
    """Guess the customer with the nearest number, exactly; equally near ones form a tie class."""
    values, group = np.unique(original, return_inverse=True)
    order = np.argsort(group, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(group))])
    above = np.searchsorted(values, released).clip(0, len(values) - 1)
    below = (above - 1).clip(0)
    up, down = np.abs(values[above] - released), np.abs(released - values[below])
    low, high = np.where(down <= up, below, above), np.where(up <= down, above, below)
    pairs, tie_class = np.unique(low * len(values) + high, return_inverse=True)
    members = tuple(
        np.sort(np.unique(np.concatenate([order[begin[a] : begin[a + 1]], order[begin[b] : begin[b + 1]]])))
        for a, b in zip((pairs // len(values)).tolist(), (pairs % len(values)).tolist(), strict=True)
    )
    first = np.array([rows[0] for rows in members], dtype=np.int64)
    return Guess(first[tie_class], tie_class, members)
