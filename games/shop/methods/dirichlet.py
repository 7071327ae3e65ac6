"""`dirichlet`: synthetic choices of items with differential privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anonymizers.anonymizer import Parameter
from arithmetic import expm1
from datasets.tables import Coded, frozen
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish


def dirichlet(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *, epsilon: float
) -> Anonymized:
    """Redraw the item of every row from an ε-differentially private distribution.

    With counts n_j of the J items and n = Σ n_j, one vector of probabilities is drawn from
    Dirichlet(n_1 + α, …, n_J + α), α = n / (e^ε − 1), and every row draws its item from it. The price
    is that of a random row of T with this item; quantity, receipt, date and person stay as they are, so the
    guarantee covers the choice of items only.
    """
    rows = original.transactions
    counts = np.bincount(rows.item.codes, minlength=rows.item.n_labels)
    prior = rows.n_rows / float(expm1(epsilon))
    drawn = rng.choice(len(counts), size=rows.n_rows, p=rng.dirichlet(counts + prior))
    by_item = np.argsort(rows.item.codes, kind="stable")
    start = np.cumsum(counts) - counts
    pattern = by_item[start[drawn] + rng.integers(counts[drawn])]
    used, codes = np.unique(drawn, return_inverse=True)
    item = Coded.of(codes, rows.item.labels[used])
    draft = replace(original, transactions=replace(rows, item=item, price=frozen(rows.price[pattern])))
    return Anonymized(publish(draft, rng), {"changed": "item and price of every row", "prior": prior})


DIRICHLET = Anonymizer(
    name="dirichlet",
    title="Differentially private choices",
    meaning="Every row draws its item from a Dirichlet-multinomial distribution with privacy level ε.",
    function=dirichlet,
    reference="Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Appendix E.",
    version=1,
    parameters=(
        Parameter("epsilon", "float", 2.0, "Privacy level; smaller protects more.", low=0.01, high=50),
    ),
)
