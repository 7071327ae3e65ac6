"""subset: the largest error that any ten customers show in any thirty days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.tables import Codes, Integers, date_text
from games.shop.data.amounts import amounts
from games.shop.data.pairing import checked_truth
from games.shop.data.tables import PurchaseData, Transactions
from scoring.exact import INT64_LIMIT, Whole, exact_sums, magnitude
from scoring.measure import Measure, Measurement
from scoring.pairing import largest, row_blocks

WINDOW_DAYS = 30
SET_SIZE = 10
CELLS_AT_ONCE = 250_000
"""Customers × days that are spread out at a time; bounds the memory, whatever the number of customers."""
MOST_BLOCKS = 60_000
"""The blocks' numbers must fit in 16 bits."""


def subset(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Largest difference in mean spending of ten customers over thirty consecutive days.

    For a window D of 30 consecutive days and a set X′ of 10 rows of M′ whose counterparts in M are X:

        subset = max over D and X′ of |μ(X′, D, T′) − μ(X, D, T)|,

    μ being the mean over the ten of Σ price · quantity in D. The maximum is exact over *all* windows between
    the first and the last date of T and T′, and over *all* 10-sets: with the differences δ_i(D) of the rows
    of M′, the extreme 10-sets of a window are the ten largest and the ten smallest δ_i(D). Platform
    definition v1: with fewer than ten rows in M′ the set is all of them; with fewer than 30 days between
    first and last date the one window starts at the first; vanished customers belong to no set.

    From 0, in currency units, lower is better. The detail names the window and the customers of the worst
    set with what they spent in it before and after.

    Reference: Nakagawa, "Anonymization and Re-identification for Personal Transaction Data" (PWSCUP 2016).

    >>> from games.shop.measure_examples import tea_and_cake
    >>> subset(*tea_and_cake()).value  # A spends 3 instead of 6, B the same: |−3 + 0| / 2
    1.5
    """
    people = checked_truth(original, released, truth)
    sides = _Side.of_release(released), _Side.of_original(original, people)
    days = np.union1d(*(side.distinct_days() for side in sides))
    size = min(SET_SIZE, len(people))
    if size == 0 or len(days) == 0:
        return Measurement(0.0, {"set_size": size, "window": None, "customers": []})
    starts = _window_starts(days)
    top, bottom = _extreme_sums(sides, days, starts, size)
    worst = np.maximum(top, -bottom)
    at = int(np.argmax(worst))
    more = bool(top[at] >= -bottom[at])
    detail = _detail(original, released, people, sides, int(starts[at]), size, more)
    return Measurement(int(worst[at]) / (100 * size), detail)


@dataclass(frozen=True)
class _Side:
    """The purchases of T′ or T, each on the row of M′ it belongs to; -1 where the customer vanished."""

    rows: Transactions
    person: Codes
    n_people: int

    @classmethod
    def of_release(cls, released: PurchaseData) -> _Side:
        return cls(released.transactions, released.transactions.customer, released.n_customers)

    @classmethod
    def of_original(cls, original: PurchaseData, people: Integers) -> _Side:
        counterpart = np.full(original.n_customers, -1, dtype=np.int32)
        counterpart[people] = np.arange(len(people), dtype=np.int32)
        return cls(original.transactions, counterpart[original.transactions.customer], len(people))

    def distinct_days(self) -> Codes:
        day = self.rows.day
        if len(day) == 0:
            return day
        first = int(day.min())
        present = np.zeros(int(day.max()) - first + 1, dtype=bool)
        for rows in row_blocks(len(day)):
            present[day[rows] - first] = True
        return (np.flatnonzero(present) + first).astype(np.int32)

    def bound(self) -> int:
        """No sum of purchases of this side is larger."""
        return len(self.person) * magnitude(self.rows.price) * magnitude(self.rows.quantity)

    def spent_in(self, start: int) -> Whole:
        """What each row of M′ spent in the window that starts at ``start``."""
        inside = np.flatnonzero(
            (self.rows.day >= start) & (self.rows.day < start + WINDOW_DAYS) & (self.person >= 0)
        )
        return exact_sums(self.person[inside], amounts(self.rows, inside), self.n_people)

    def blocks(self, width: int) -> list[npt.NDArray[Any]]:
        """The positions of the purchases of people 0 … width − 1, width … 2·width − 1, and so on."""
        n_blocks = -(-self.n_people // width)
        # A stable sort of 16-bit numbers is a radix sort: linear in the rows. The vanished go last.
        block = np.empty(len(self.person), dtype=np.uint16)
        for rows in row_blocks(len(block)):
            block[rows] = np.where(self.person[rows] < 0, n_blocks, self.person[rows] // width)
        order = np.argsort(block, kind="stable").astype(np.int32)
        return np.split(order, np.cumsum(np.bincount(block, minlength=n_blocks + 1)))[:n_blocks]


def _window_starts(days: Codes) -> Integers:
    """The starts at which a window gains or loses a day with purchases; those between add nothing new."""
    first = int(days[0])
    last = max(int(days[-1]) - WINDOW_DAYS + 1, first)
    starts = np.concatenate([[first], days - WINDOW_DAYS + 1, days + 1]).astype(np.int64)
    return np.unique(starts[(starts >= first) & (starts <= last)])


def _extreme_sums(
    sides: tuple[_Side, _Side], days: Codes, starts: Integers, size: int
) -> tuple[Whole, Whole]:
    """For every window the sum of the ``size`` largest and of the ``size`` smallest differences."""
    left, right = np.searchsorted(days, starts), np.searchsorted(days, starts + WINDOW_DAYS)
    outermost: Whole = np.zeros((len(starts), 0), dtype=np.int64)
    for spent in _tables(sides, days):
        running = np.cumsum(spent, axis=0)
        outermost = np.concatenate([outermost, running[right] - running[left]], axis=1)
        n_people = outermost.shape[1]
        if n_people > 2 * size:
            parted = np.partition(outermost, (size - 1, n_people - size), axis=1)
            outermost = np.concatenate([parted[:, :size], parted[:, -size:]], axis=1)
    ordered = np.sort(outermost, axis=1)
    return ordered[:, -size:].sum(axis=1), ordered[:, :size].sum(axis=1)


def _tables(sides: tuple[_Side, _Side], days: Codes) -> Iterator[Whole]:
    """Difference in spending, day by person, a block of people at a time; the first day is an empty one."""
    n, n_days = sides[0].n_people, len(days) + 1
    width = max(CELLS_AT_ONCE // n_days, -(-n // MOST_BLOCKS), 1)
    dtype = np.int64 if sum(side.bound() for side in sides) < INT64_LIMIT else object
    place = np.zeros(int(days[-1]) - int(days[0]) + 1, dtype=np.int64)
    place[days - days[0]] = np.arange(1, n_days)
    by_side = [side.blocks(width) for side in sides]
    for number, blocks in enumerate(zip(*by_side, strict=True)):
        start = number * width
        people = min(width, n - start)
        sums = []
        for side, chosen in zip(sides, blocks, strict=True):
            cell = place[side.rows.day[chosen] - days[0]] * people + (side.person[chosen] - start)
            sums.append(exact_sums(cell, amounts(side.rows, chosen), n_days * people).astype(dtype))
        yield (sums[0] - sums[1]).reshape(n_days, people)


def _detail(
    original: PurchaseData,
    released: PurchaseData,
    people: Integers,
    sides: tuple[_Side, _Side],
    start: int,
    size: int,
    more: bool,
) -> dict[str, Any]:
    after, before = (side.spent_in(start) for side in sides)
    difference = after - before
    chosen = largest(difference if more else -difference, size)
    customers = [
        {
            "pseudonym": released.master.ids[row],
            "customer": original.master.ids[people[row]],
            "original": int(before[row]) / 100,
            "released": int(after[row]) / 100,
        }
        for row in chosen.tolist()
    ]
    return {
        "window": {"from": date_text(start), "to": date_text(start + WINDOW_DAYS - 1)},
        "direction": "more" if more else "less",
        "set_size": size,
        "customers": customers,
    }


SUBSET = Measure(
    name="subset",
    title="Ten customers, thirty days",
    meaning="Largest error of the mean spending of any ten customers in any thirty consecutive days.",
    function=subset,
    low=0.0,
    high=None,
    better="lower",
    reference="Nakagawa, Anonymization and Re-identification for Personal Transaction Data (PWSCUP 2016)",
    version=1,
    uses_truth=True,
    unit="currency units",
)
