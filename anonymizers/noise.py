"""`noise`: random noise on quantities and prices, scaled to the size of what it hides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from anonymizers.anonymizer import Anonymized, Anonymizer, Parameter
from anonymizers.publish import publish, with_amounts, with_rows
from arithmetic import exp
from datasets.tables import Dataset, Integers


def noise(
    original: Dataset,
    limits: Mapping[str, float],
    rng: np.random.Generator,
    *,
    scale: float,
    price_scale: float,
) -> Anonymized:
    """Add normal noise to every quantity, with the standard deviation of its decile.

    Quantities are binned into deciles, since their variance is large; in bin b the noise is
    N(0, (scale · s_b)²), s_b the standard deviation of the quantities in b. ``price_scale`` multiplies every
    price by exp(N(0, price_scale²)). Results are rounded, at least 1 unit and 0.01 of money.
    """
    rows = original.transactions
    spread = spread_of_decile(rows.quantity)
    quantity = rows.quantity + rng.normal(size=rows.n_rows) * spread * scale
    price = rows.price * exp(rng.normal(size=rows.n_rows) * price_scale)
    noisy = with_amounts(rows, price, quantity)
    changed = int(((noisy.quantity != rows.quantity) | (noisy.price != rows.price)).sum())
    report = {"changed": f"quantity or price of {changed} of {rows.n_rows} rows"}
    return Anonymized(publish(with_rows(original, noisy), rng), report)


def spread_of_decile(values: Integers | npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The standard deviation of the decile that each value belongs to.

    >>> spread_of_decile(np.array([1, 1, 1, 3, 3, 3])).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    edges = np.unique(np.quantile(values, np.arange(1, 10) / 10))
    bins = np.searchsorted(edges, values, side="left")
    count = np.maximum(np.bincount(bins, minlength=len(edges) + 1), 1)
    mean = np.bincount(bins, weights=values, minlength=len(edges) + 1) / count
    variance = np.bincount(bins, weights=(values - mean[bins]) ** 2, minlength=len(edges) + 1) / count
    return np.sqrt(variance)[bins]


NOISE = Anonymizer(
    name="noise",
    title="Random noise",
    meaning="Normal noise on every quantity, with the spread of its decile; prices likewise on request.",
    function=noise,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 2.",
    version=1,
    parameters=(
        Parameter("scale", "float", 1.0, "Noise in standard deviations of the decile.", low=0, high=10),
        Parameter("price_scale", "float", 0.0, "Standard deviation of log-price noise.", low=0, high=2),
    ),
)  # fmt: skip
