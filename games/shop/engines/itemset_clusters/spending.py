"""Step 2: what everybody spends in any 30 days, kept close enough to the truth for the limit on subset."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from datasets.tables import Integers
from games.shop.data.tables import PurchaseData, Transactions

WINDOW_DAYS = 30
SET_SIZE = 10

Money = npt.NDArray[np.float64]


def spending(original: PurchaseData, rows: Transactions) -> Money:
    """Customers × windows of 30 days between the first and the last date of T: what each spent.

    In currency units. Where T has fewer days, the one window is all of them.
    """
    first = int(original.transactions.day.min())
    n_days = int(original.transactions.day.max()) - first + 1
    cell = rows.customer.astype(np.int64) * n_days + (rows.day - first)
    daily = np.bincount(cell, weights=rows.amount, minlength=original.n_customers * n_days)
    running = np.cumsum(daily.reshape(original.n_customers, n_days), axis=1)
    running[:, WINDOW_DAYS:] -= running[:, :-WINDOW_DAYS].copy()
    return running[:, min(WINDOW_DAYS, n_days) - 1 :] / 100


def worst_set(error: Money) -> tuple[float, int, Integers]:
    """The largest |mean error| of any ten customers in any window; the window; the ten customers.

    >>> value, window, people = worst_set(np.array([[0.0, 3.0], [1.0, -1.0]]))
    >>> value, window, people.tolist()
    (1.0, 1, [0, 1])
    """
    size = min(SET_SIZE, len(error))
    parted = np.partition(error, (size - 1, len(error) - size), axis=0)
    most, least = parted[-size:].mean(axis=0), parted[:size].mean(axis=0)
    value = np.maximum(most, -least)
    window = int(np.argmax(value))
    sign = 1.0 if most[window] >= -least[window] else -1.0
    people = np.argsort(-sign * error[:, window], kind="stable")[:size]
    return float(value[window]), window, np.sort(people)


def hold_subset(spent: Money, source: Integers, limit: float) -> Integers:
    """Put customers back in place until those who take others' purchases are within the limit on subset.

    ``spent`` is what everybody really spends. In the worst set the customer with the largest error takes
    their own purchases back, and the customer who had them takes the others.
    """
    moves = source.copy()
    error = spent[moves] - spent
    while True:
        value, window, people = worst_set(error)
        if value <= limit:
            return moves
        worst = int(people[np.argmax(np.abs(error[people, window]))])
        taker = int(np.flatnonzero(moves == worst)[0])
        moves[taker], moves[worst] = moves[worst], worst
        error[worst] = 0.0
        error[taker] = spent[moves[taker]] - spent[taker]
