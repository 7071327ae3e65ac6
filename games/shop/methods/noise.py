"""`noise`: random noise on quantities and prices, scaled to the size of what it hides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import spread_of_decile
from arithmetic import exp
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish, with_amounts, with_rows


def noise(
    original: PurchaseData,
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


NOISE = Anonymizer(
    name="noise",
    title="Random noise",
    meaning="Normal noise on every quantity, with the spread of its decile; prices too on request.",
    function=noise,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 2.",
    version=1,
    parameters=(
        Parameter("scale", "float", 1.0, "Noise in standard deviations of the decile.", low=0, high=10),
        Parameter("price_scale", "float", 0.0, "Standard deviation of log-price noise.", low=0, high=2),
    ),
)  # fmt: skip
