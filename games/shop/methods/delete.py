"""`delete`: purchases that too few people share are removed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from anonymizers.anonymizer import Parameter
from anonymizers.engines.benchmark_steps import distinct_holders
from datasets.tables import Integers
from games.shop.data.tables import PurchaseData, Transactions
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.market import period_of
from games.shop.methods.release import publish, with_rows


def delete(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *, k: int, key: str
) -> Anonymized:
    """Delete the rows whose key is held by fewer than k different customers.

    The key is the item, the item in its week (7 days from the first date of T), or the item, week and
    quantity. What remains is k-anonymous by that key: a purchase with up to k − 2 duplicates at other people
    is gone. Customers may lose all their rows; they stay in M′.
    """
    rows = original.transactions
    holders = distinct_holders(_keys(rows, key), rows.customer)
    kept = np.flatnonzero(holders >= k)
    draft = with_rows(original, rows.take(kept))
    removed = rows.n_rows - len(kept)
    emptied = original.n_customers - len(np.unique(rows.customer[kept]))
    report = {"changed": f"{removed} of {rows.n_rows} rows removed", "customers_without_rows": emptied}
    return Anonymized(publish(draft, rng), report)


def _keys(rows: Transactions, key: str) -> Integers:
    keys = rows.item.codes.astype(np.int64)
    if key != "item":
        week = period_of(rows, "week")
        keys = np.unique(keys * (int(week.max()) + 1) + week, return_inverse=True)[1]
    if key == "item-week-quantity":
        keys = np.unique(keys * (int(rows.quantity.max()) + 1) + rows.quantity, return_inverse=True)[1]
    return keys


DELETE = Anonymizer(
    name="delete",
    title="Record deletion",
    meaning="Rows whose item (and week, and quantity) fewer than k customers share are removed.",
    function=delete,
    reference="Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Table 6 and Figure 4(a).",
    version=1,
    parameters=(
        Parameter("k", "int", 2, "A purchase must be shared by this many customers.", low=2, high=1000),
        Parameter(
            "key", "choice", "item", "What counts as the same purchase.",
            choices=("item", "item-week", "item-week-quantity"),
        ),
    ),
)  # fmt: skip
