"""ut-ham: how many cells of each column differ."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers
from games.shop.data.pairing import checked_truth
from games.shop.data.tables import PurchaseData
from scoring.measure import Measure, Measurement
from scoring.pairing import shared_codes

MASTER = ("gender", "birthday", "country")
ROWS = ("receipt", "day", "minute", "item", "price", "quantity")


def ut_ham(
    original: PurchaseData,
    released: PurchaseData,
    truth: npt.ArrayLike,
    *,
    columns: Sequence[str] = MASTER + ROWS,
) -> Measurement:
    """Mean over columns of the share of cells that differ.

    A column of M counts the customers whose cell differs, over all customers of M; one who vanished differs.
    A column of T is compared customer by customer, whatever the order of the rows: with A_c and B_c the
    multisets of the column's values in the rows of customer c in T and T′,

        ham(column) = Σ_c (max(|A_c|, |B_c|) − |A_c ∩ B_c|) / Σ_c max(|A_c|, |B_c|),

    the smallest Hamming distance over all ways to lay the rows side by side; where the number of rows
    differs, those left over count as different. ut-ham is the mean over ``columns``. Range 0 to 1, lower is
    better. The detail gives every column.

    Reference: platform definition v1.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> result = ut_ham(*tea_and_cake())
    >>> round(result.detail["by_column"]["item"], 4)  # one cake of three rows is gone
    0.3333
    """
    people = checked_truth(original, released, truth)
    unknown = [name for name in columns if name not in MASTER + ROWS]
    if unknown:
        expected = ", ".join(MASTER + ROWS)
        raise ValueError(f"The 'columns' option of ut-ham must name some of {expected}. Got {unknown[0]!r}.")
    by_column = {
        name: (
            _master_share(original, released, people, name)
            if name in MASTER
            else _row_share(original, released, people, name)
        )
        for name in columns
    }
    value = math.fsum(by_column.values()) / len(by_column) if by_column else 0.0
    return Measurement(value, {"by_column": by_column})


def _master_share(original: PurchaseData, released: PurchaseData, people: Integers, name: str) -> float:
    before, after, _ = shared_codes(getattr(original.master, name), getattr(released.master, name))
    same = int((before[people] == after).sum())
    return (original.n_customers - same) / max(original.n_customers, 1)


def _row_share(original: PurchaseData, released: PurchaseData, people: Integers, name: str) -> float:
    values, values_after = _numbers(original, released, name)
    n_values = int(max(values.max(initial=0), values_after.max(initial=0))) + 1
    customer, customer_after = original.transactions.customer, people[released.transactions.customer]
    keys, counts = np.unique(customer.astype(np.int64) * n_values + values, return_counts=True)
    keys_after, counts_after = np.unique(customer_after * n_values + values_after, return_counts=True)
    _, here, there = np.intersect1d(keys, keys_after, assume_unique=True, return_indices=True)
    common = int(np.minimum(counts[here], counts_after[there]).sum())
    n = original.n_customers
    longer = np.maximum(np.bincount(customer, minlength=n), np.bincount(customer_after, minlength=n))
    total = int(longer.sum())
    return (total - common) / total if total else 0.0


def _numbers(original: PurchaseData, released: PurchaseData, name: str) -> tuple[Integers, Integers]:
    """A column of T and T′ as small whole numbers that represent the same values on both sides."""
    before, after = getattr(original.transactions, name), getattr(released.transactions, name)
    if isinstance(before, Coded):
        codes, codes_after, _ = shared_codes(before, after)
        return codes.astype(np.int64), codes_after.astype(np.int64)
    both = np.unique(np.concatenate([before, after]), return_inverse=True)[1].astype(np.int64)
    return both[: len(before)], both[len(before) :]


UT_HAM = Measure(
    name="ut-ham",
    title="Cells changed",
    meaning="Mean share of cells that differ, over the columns of M and T.",
    function=ut_ham,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Platform definition v1",
    version=1,
    uses_truth=True,
)
