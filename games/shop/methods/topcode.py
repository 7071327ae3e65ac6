"""`topcode`: extreme quantities and prices are cut."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonymizers.anonymizer import Parameter
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish, with_amounts, with_rows


def topcode(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *, percentile: float
) -> Anonymized:
    """Cut quantities and prices above a percentile of their column down to it: x′ = min(x, Q_p(x))."""
    rows = original.transactions
    # The percentile is a value that occurs, so a cut price or quantity looks like any other.
    ceilings = [np.percentile(column, percentile, method="lower") for column in (rows.price, rows.quantity)]
    cut = with_amounts(rows, np.minimum(rows.price, ceilings[0]), np.minimum(rows.quantity, ceilings[1]))
    changed = int(((cut.quantity != rows.quantity) | (cut.price != rows.price)).sum())
    report = {
        "changed": f"quantity or price of {changed} of {rows.n_rows} rows",
        "highest_price": float(ceilings[0]) / 100,
        "highest_quantity": int(ceilings[1]),
    }
    return Anonymized(publish(with_rows(original, cut), rng), report)


TOPCODE = Anonymizer(
    name="topcode",
    title="Top coding",
    meaning="Quantities and prices above a percentile are cut down to it.",
    function=topcode,
    reference="Schneider et al., 'A Flexible Method for Protecting Marketing Data', Table 1, 4.",
    version=1,
    parameters=(
        Parameter("percentile", "float", 95.0, "Values above this percentile are cut.", low=1, high=100),
    ),
)
