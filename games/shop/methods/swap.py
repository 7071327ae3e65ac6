"""`swap`: some rows exchange their purchases in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import partners
from datasets.tables import Coded, Integers, frozen
from games.shop.data.tables import PurchaseData
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish


def swap(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *, share: float, what: str
) -> Anonymized:
    """Draw a share of the rows, split them at random into two halves, and exchange their values in pairs.

    ``purchase`` exchanges item, price and quantity together, ``quantity`` the quantity alone. Receipts,
    dates and people stay; so do the totals of the whole table. With m drawn rows, ⌊m/2⌋ pairs are swapped.
    """
    rows = original.transactions
    source = partners(rows.n_rows, share, rng)
    swapped = replace(rows, quantity=frozen(rows.quantity[source]))
    if what == "purchase":
        item = Coded.of(rows.item.codes[source], rows.item.labels)
        swapped = replace(swapped, item=item, price=frozen(rows.price[source]))
    draft = replace(original, transactions=swapped)
    return Anonymized(publish(draft, rng), {"changed": f"{what} of {_moved(source)} of {rows.n_rows} rows"})


def _moved(source: Integers) -> int:
    return int((source != np.arange(len(source))).sum())


SWAP = Anonymizer(
    name="swap",
    title="Random swapping",
    meaning="A share of the rows exchange their purchases in random pairs.",
    function=swap,
    reference="Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Table 6; Schneider et al., "
    "'A Flexible Method for Protecting Marketing Data', Table 1, 5 and 6.",
    version=1,
    parameters=(
        Parameter("share", "float", 0.2, "Share of the rows that take part.", low=0, high=1),
        Parameter(
            "what", "choice", "purchase", "What is exchanged: the whole purchase or its quantity.",
            choices=("purchase", "quantity"),
        ),
    ),
)  # fmt: skip
