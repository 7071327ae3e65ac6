"""What can be compared between original and released customers: items, days, receipts, prices, and more."""

from __future__ import annotations

import numpy as np

from attacks.tokens import Columns, View, set_view
from datasets.tables import Coded, Dataset, Integers


def item_view(original: Dataset, released: Dataset, *, rarity: bool = False) -> View:
    """Sets of purchased items."""
    left, right = common_codes(original.transactions.item, released.transactions.item)
    return transaction_view(original, released, ((left,), (right,)), rarity=rarity)


def common_codes(original: Coded, released: Coded) -> tuple[Integers, Integers]:
    """Two columns of texts as numbers that are equal where the texts are.

    >>> common_codes(Coded.from_texts(["tea", "pie"]), Coded.from_texts(["tea", "jam"]))
    (array([2, 1]), array([2, 0]))
    """
    _, codes = np.unique(np.concatenate([original.labels, released.labels]), return_inverse=True)
    return codes[original.codes], codes[original.n_labels :][released.codes]


def transaction_view(
    original: Dataset,
    released: Dataset,
    columns: tuple[Columns, Columns],
    *,
    copies: bool = False,
    rarity: bool = False,
) -> View:
    """A view of which each row of T and of T′ gives one token."""
    return set_view(
        (original.n_customers, released.n_customers),
        (original.transactions.customer, released.transactions.customer),
        columns,
        copies=copies,
        rarity=rarity,
    )
