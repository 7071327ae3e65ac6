"""Steps 1 and 2: who in a cluster takes whose purchases.

Every member of a cluster gets the same item set. If each also takes the purchases of a random member, whose
dates, totals and attributes the release then shows, nothing in the release distinguishes the members: the
best guess inside a cluster is right with probability 1/size, whatever it looks at. Sums over a cluster stay.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from datasets.tables import Dataset, Integers

WINDOW_DAYS = 30
SET_SIZE = 10


def horizontal_moves(cluster: Integers, rng: np.random.Generator) -> Integers:
    """A permutation inside clusters that moves every member to each place with equal probability.

    In a cluster of c ≥ 3 exactly one member stays in place, so an attack that recognises the purchases finds
    exactly one member; as P(stays) = 1/c and all other places are equally likely, no attack can expect more.
    A cluster of two is swapped or not; half of these clusters are swapped.

    >>> moves = horizontal_moves(np.zeros(5, dtype=np.int64), np.random.default_rng(1))
    >>> int((moves == np.arange(5)).sum()), sorted(moves.tolist())
    (1, [0, 1, 2, 3, 4])
    """
    source = np.arange(len(cluster))
    order = np.argsort(cluster, kind="stable")
    pairs = []
    for members in np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1):
        if len(members) == 2:
            pairs.append(members)
        elif len(members) > 2:
            moving = np.delete(members, rng.integers(len(members)))
            source[moving] = moving[_derangement(len(moving), rng)]
    swapped = (len(pairs) + int(rng.integers(2))) // 2
    for number in rng.permutation(len(pairs))[:swapped].tolist():
        source[pairs[number]] = pairs[number][::-1]
    return source


def _derangement(count: int, rng: np.random.Generator) -> Integers:
    """A uniformly random permutation without a fixed point, by rejection (e tries on average)."""
    places = np.arange(count)
    while True:
        drawn = rng.permutation(count)
        if not (drawn == places).any():
            return drawn


def hold_subset(original: Dataset, source: Integers, limit: float) -> tuple[Integers, int]:
    """Put customers back in place until the `subset` measure is surely within its limit.

    Customer i with the purchases of source(i) is off by at most e_i = max over windows of 30 days of
    |A_source(i)(D) − A_i(D)|, so the mean of the ten largest e_i bounds the measure. Returns the moves and
    how many customers had to be put back.
    """
    moves = source.copy()
    error = _window_errors(original, moves, np.flatnonzero(moves != np.arange(len(moves))))
    put_back = 0
    size = min(SET_SIZE, len(moves))
    while np.sort(error)[-size:].mean() > limit:
        worst = int(np.argmax(error))
        taker = int(np.flatnonzero(moves == worst)[0])
        moves[taker], moves[worst] = moves[worst], worst
        error[worst] = 0.0
        error[taker] = _window_errors(original, moves, np.array([taker]))[taker]
        put_back += 1
    return moves, put_back


def _window_errors(original: Dataset, moves: Integers, people: Integers) -> npt.NDArray[np.float64]:
    """e_i in currency units for the people asked for, 0 for all others."""
    rows = original.transactions
    first, n_days = int(rows.day.min()), int(rows.day.max() - rows.day.min()) + 1
    order = np.argsort(rows.customer, kind="stable")
    ends = np.cumsum(np.bincount(rows.customer, minlength=original.n_customers))

    def windows(i: int) -> npt.NDArray[np.float64]:
        own = order[ends[i - 1] if i else 0 : ends[i]]
        daily = np.bincount(rows.day[own] - first, weights=rows.amount[own], minlength=n_days)
        running = np.concatenate([np.zeros(WINDOW_DAYS), np.cumsum(daily)])
        return running[WINDOW_DAYS:] - running[:-WINDOW_DAYS]

    error = np.zeros(original.n_customers)
    for i in people.tolist():
        if moves[i] != i:
            error[i] = np.abs(windows(int(moves[i])) - windows(i)).max() / 100
    return error
