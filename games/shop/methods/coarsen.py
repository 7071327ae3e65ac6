"""`round`: quantities, prices and times on a coarse grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from anonymizers.anonymizer import Parameter
from datasets.tables import Integers, frozen
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish, with_amounts, with_rows


def round(
    original: PurchaseData,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    quantity_step: int,
    price_step: float,
    minute_step: int,
) -> Anonymized:
    """Round every quantity, price and time to the nearest multiple of its step, at least one step.

    x′ = step · max(1, ⌊x / step + 1/2⌋); times are rounded down. A step of 1 unit, 0.01 of money or 1 minute
    changes nothing.
    """
    rows = original.transactions
    quantity = nearest_multiple(rows.quantity, quantity_step)
    price = nearest_multiple(rows.price, max(1, int(price_step * 100 + 0.5)))
    coarse = with_amounts(rows, price, quantity)
    coarse = replace(coarse, minute=frozen(rows.minute // minute_step * minute_step))
    changed = int(((coarse.quantity != rows.quantity) | (coarse.price != rows.price)).sum())
    report = {"changed": f"quantity or price of {changed} of {rows.n_rows} rows"}
    return Anonymized(publish(with_rows(original, coarse), rng), report)


def nearest_multiple(values: Integers, step: int) -> npt.NDArray[np.int64]:
    """The nearest multiple of the step, halves upwards, at least one step.

    >>> nearest_multiple(np.array([1, 7, 15, 24]), 10).tolist()
    [10, 10, 20, 20]
    """
    return np.maximum((2 * values + step) // (2 * step), 1) * step


ROUND = Anonymizer(
    name="round",
    title="Rounding",
    meaning="Quantities, prices and times are rounded to multiples of a step.",
    function=round,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 3.",
    version=1,
    parameters=(
        Parameter("quantity_step", "int", 10, "Quantities become multiples of this.", low=1, high=99999),
        Parameter("price_step", "float", 1.0, "Prices become multiples of this.", low=0.01, high=9999),
        Parameter("minute_step", "int", 60, "Times become multiples of this many minutes.", low=1, high=1440),
    ),
)
