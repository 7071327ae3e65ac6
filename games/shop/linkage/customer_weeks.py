"""What every customer bought in every week, as numbers that a model can learn from."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from arithmetic import log, log1p
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData

Floats = npt.NDArray[np.float64]

BRANDS = 16
"""Groups of items; the group of an item depends on its id alone, so both tables agree on it."""
DAYS = 7


@dataclass(frozen=True, eq=False)
class CustomerWeeks:
    """One row per customer and week with a purchase: ``x`` its features, ``customer`` whose it is."""

    x: Floats
    customer: Integers
    n_customers: int


def first_day(data: PurchaseData) -> int:
    return int(data.transactions.day.min(initial=2**30))


def customer_weeks(data: PurchaseData, begin: int) -> CustomerWeeks:
    """Add up the purchases by customer and week, weeks counted from the day ``begin``."""
    rows = data.transactions
    week = (rows.day.astype(np.int64) - begin) // DAYS
    low = int(week.min(initial=0))
    width = int(week.max(initial=0)) - low + 1
    cells, cell = np.unique(rows.customer * np.int64(width) + (week - low), return_inverse=True)
    n = len(cells)
    amount = rows.amount.astype(np.float64)
    spent = np.bincount(cell, weights=amount, minlength=n)
    units = np.bincount(cell, weights=rows.quantity, minlength=n)
    brand = np.array([crc32(str(label).encode()) % BRANDS for label in rows.item.labels], dtype=np.int64)
    place = cell * BRANDS + brand[rows.item.codes]
    by_brand = np.bincount(place, weights=amount, minlength=n * BRANDS).reshape(n, BRANDS)
    count = np.maximum(np.bincount(cell, minlength=n), 1)
    columns = (
        log1p(spent), log(spent / np.maximum(units, 1) + 1), log1p(units),
        log(_distinct(cell, rows.item.codes, n)), log(_distinct(cell, rows.receipt.codes, n)),
        np.bincount(cell, weights=rows.minute, minlength=n) / count / 60,
        (cells % width + low).astype(np.float64),
    )  # fmt: skip
    x = np.column_stack([log1p(by_brand), *columns])
    return CustomerWeeks(x, cells // width, data.n_customers)


def _distinct(cell: Integers, codes: npt.NDArray, n: int) -> Integers:
    """How many different codes every cell holds, at least 1."""
    width = int(codes.max(initial=0)) + 1
    pairs = np.unique(cell * np.int64(width) + codes)
    return np.maximum(np.bincount(pairs // width, minlength=n), 1)
