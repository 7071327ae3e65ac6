"""ut-il of 2018: information lost by generalised and deleted cells."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from datasets.tables import Integers
from games.shop.data.pwscup2018 import SET, STAR, ItemCells, RangeCells, Release2018, Sheet2018
from scoring.measure import Measure, Measurement


def ut_il(original: Sheet2018, released: Release2018, truth: npt.ArrayLike | None = None) -> Measurement:
    """Mean information loss over the cells of date, item, price and quantity.

    A cell's loss is 0 if it is T's value x, 1 if it is deleted, 1 − 1/|set| for a set of items, and for an
    interval [a; b]

        ((a − x)² + (b − x)² + (b − a)·w) / (2·(b − a + w)·sd),

    the mean distance from x over the interval's values, w = 1 unit apart (prices in pence), in standard
    deviations (of all of T's column, population form). ut-il is the mean over rows, then over the four
    columns. From 0, lower is better. The detail gives the loss by column.

    Reference: Organisers of PWSCUP 2018, utility measure.
    """
    if original.n_rows != released.n_rows:
        raise ValueError(f"A must have as many rows as T, {original.n_rows}. Got {released.n_rows} instead.")
    n = max(original.n_rows, 1)
    by_column = {
        "date": _interval_loss(released.day, original.day.astype(np.int64)) / n,
        "item": _set_loss(released.item) / n,
        "price": _interval_loss(released.price, original.price) / n,
        "quantity": _interval_loss(released.quantity, original.quantity) / n,
    }
    detail = {"by_column": by_column, "deleted_rows": int(released.deleted.sum())}
    return Measurement(math.fsum(by_column.values()) / 4, detail)


def _interval_loss(cell: RangeCells, truth: Integers) -> float:
    """The summed loss of a column of numbers."""
    a, b, x = cell.low.astype(np.float64), cell.high.astype(np.float64), truth.astype(np.float64)
    distance = ((a - x) ** 2 + (b - x) ** 2 + (b - a)) / (2 * (b - a + 1))
    spread = math.sqrt(_variance(truth))
    loss = distance / spread if spread else distance
    return math.fsum(np.where(cell.kind == STAR, 1.0, loss))


def _variance(values: Integers) -> float:
    """Population variance from exact sums, so that the row order cannot show."""
    n = len(values)
    whole = values.astype(object)
    return (n * int((whole * whole).sum()) - int(whole.sum()) ** 2) / n**2 if n else 0.0


def _set_loss(cell: ItemCells) -> float:
    size = np.maximum(cell.size, 1)
    loss = np.where(cell.kind == SET, 1 - 1 / size, 0.0)
    return math.fsum(np.where(cell.kind == STAR, 1.0, loss))


UT_IL = Measure(
    name="ut-il",
    title="Information loss",
    meaning="Mean information lost by deleted cells, intervals and sets.",
    function=ut_il,
    low=0.0,
    high=None,
    better="lower",
    reference="Organisers of PWSCUP 2018, utility measure",
    version=1,
    uses_truth=False,
    is_loss=True,
)
