"""date-shift: how far the dates of a customer's purchases moved."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from datasets.tables import Integers
from games.shop.data.pairing import checked_truth
from games.shop.data.tables import PurchaseData
from scoring.measure import Measure, Measurement
from scoring.pairing import largest


def date_shift(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Mean shift in days between the dates of a customer's rows before and after.

    A customer's rows are laid side by side in the order of their dates; the shorter side is stretched evenly
    over the longer, so that numbers of rows may differ:

        shift_c = (1/L) Σ_{t < L} |day_c(⌊t·a_c/L⌋) − day′_c(⌊t·b_c/L⌋)|,   L = max(a_c, b_c),

    with a_c and b_c the rows of c in T and T′. date-shift is the mean over the rows of T of their customer's
    shift. A customer with rows on one side only, vanished or not, shifts by the length of T's date range.
    From 0, in days, lower is better. The detail lists the customers with the largest shifts.

    Reference: platform definition v1, after E4 of PWSCUP 2017.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> date_shift(*tea_and_cake()).value
    0.0
    """
    people = checked_truth(original, released, truth)
    n = original.n_customers
    before = _by_customer(original.transactions.customer, original.transactions.day, n)
    after = _by_customer(people[released.transactions.customer], released.transactions.day, n)
    total, longer = _shifts(before, after)
    rows = np.diff(before[0])
    span = int(np.ptp(original.transactions.day)) + 1 if len(original.transactions.day) else 0
    alone = (rows == 0) != (np.diff(after[0]) == 0)
    shift = np.divide(total, longer, out=np.zeros(n), where=longer > 0)
    shift[alone] = span
    value = math.fsum((rows * shift).tolist()) / max(int(rows.sum()), 1)
    worst = [
        {"customer": original.master.ids[row], "days": float(shift[row])}
        for row in largest(shift, 10).tolist()
        if shift[row] > 0
    ]
    return Measurement(value, {"worst_customers": worst, "moved_customers": int((shift > 0).sum())})


def _by_customer(
    customer: npt.NDArray[np.integer], day: npt.NDArray[np.integer], n: int
) -> tuple[Integers, Integers]:
    """Where each customer's rows start, and the days sorted by customer and day."""
    order = np.lexsort((day, customer))
    start = np.concatenate([[0], np.cumsum(np.bincount(customer, minlength=n))])
    return start, day[order].astype(np.int64)


def _shifts(before: tuple[Integers, Integers], after: tuple[Integers, Integers]) -> tuple[Integers, Integers]:
    """The summed shift of each customer with rows on both sides, and the length of the longer side."""
    rows, rows_after = np.diff(before[0]), np.diff(after[0])
    longer = np.where((rows > 0) & (rows_after > 0), np.maximum(rows, rows_after), 0)
    who = np.repeat(np.arange(len(rows)), longer)
    step = np.arange(len(who)) - np.repeat(np.cumsum(longer) - longer, longer)
    here = before[0][who] + step * rows[who] // longer[who]
    there = after[0][who] + step * rows_after[who] // longer[who]
    distance = np.abs(before[1][here] - after[1][there])
    return np.bincount(who, weights=distance, minlength=len(rows)).astype(np.int64), longer


DATE_SHIFT = Measure(
    name="date-shift",
    title="Date shift",
    meaning="Mean shift in days of the dates of a customer's purchases.",
    function=date_shift,
    low=0.0,
    high=None,
    better="lower",
    reference="Platform definition v1, after E4 of PWSCUP 2017",
    version=1,
    uses_truth=True,
    unit="days",
)
