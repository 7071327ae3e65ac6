"""price-ratio: how far the mean price of each item moved."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from games.shop.data.tables import PurchaseData
from scoring.exact import exact_sums
from scoring.measure import Measure, Measurement
from scoring.pairing import largest, shared_codes


def price_ratio(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Mean relative change of the items' mean unit prices.

    With m_i and m′_i the mean unit price of item i over the rows of T and of T′, and t_i its rows in T:

        price-ratio = Σ_i t_i · (1 − min(m_i, m′_i) / max(m_i, m′_i)) / Σ_i t_i

    An item that T′ lacks counts 1. Range 0 to 1, lower is better. P is not needed. The detail lists the items
    that add most.

    Reference: platform definition v1, after E5 of PWSCUP 2017.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> round(price_ratio(*tea_and_cake()).value, 4)  # tea keeps its price, cake is gone
    0.3333
    """
    items, items_after, labels = shared_codes(original.transactions.item, released.transactions.item)
    mean, rows = _means(items, original, len(labels))
    mean_after, _ = _means(items_after, released, len(labels))
    high, low = np.maximum(mean, mean_after), np.minimum(mean, mean_after)
    change = np.divide(high - low, high, out=np.zeros(len(labels)), where=high > 0)
    part = rows * change
    worst = [
        {"item": str(labels[code]), "original": mean[code] / 100, "released": mean_after[code] / 100}
        for code in largest(part, 10).tolist()
        if part[code] > 0
    ]
    value = math.fsum(part.tolist()) / max(int(rows.sum()), 1)
    return Measurement(value, {"worst_items": worst, "changed_items": int((part > 0).sum())})


def _means(
    items: npt.NDArray[np.int32], data: PurchaseData, n_items: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The mean unit price of every item in hundredths, 0 where it has no row, and its rows."""
    rows = np.bincount(items, minlength=n_items)
    total = exact_sums(items, data.transactions.price, n_items).astype(np.float64)
    return total / np.maximum(rows, 1), rows


PRICE_RATIO = Measure(
    name="price-ratio",
    title="Price ratio",
    meaning="Mean relative change of the mean prices of items.",
    function=price_ratio,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Platform definition v1, after E5 of PWSCUP 2017",
    version=1,
    uses_truth=False,
)
