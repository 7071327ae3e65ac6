"""`shuffle`: one kind of value is permuted among everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from anonymizers.anonymizer import Parameter
from datasets.tables import Codes, frozen
from games.shop.data.tables import PurchaseData, Transactions
from games.shop.methods.anonymizer import Anonymized, Anonymizer
from games.shop.methods.release import publish


def shuffle(
    original: PurchaseData, limits: Mapping[str, float], rng: np.random.Generator, *, what: str
) -> Anonymized:
    """Permute one kind of value over the whole table, so that it says nothing about its owner any more.

    ``master`` permutes whole rows (gender, birthday, country) among the people; ``dates`` permutes date and
    time among receipts; ``quantities`` permutes quantities among the rows of one item; ``receipts`` deals
    whole receipts out to other customers, which keeps how many receipts each has. The multiset of every
    column stays exactly as it was.
    """
    rows = original.transactions
    if what == "master":
        order = rng.permutation(original.n_customers)
        master = replace(
            original.master,
            gender=original.master.gender.take(order),
            birthday=original.master.birthday.take(order),
            country=original.master.country.take(order),
        )
        draft = replace(original, master=master)
    elif what == "dates":
        draft = replace(original, transactions=_dates_shuffled(rows, rng))
    elif what == "quantities":
        order = shuffled_within(rows.item.codes, rng)
        draft = replace(original, transactions=replace(rows, quantity=frozen(rows.quantity[order])))
    else:
        first = np.unique(rows.receipt.codes, return_index=True)[1]
        owner = rng.permutation(rows.customer[first])
        draft = replace(original, transactions=replace(rows, customer=frozen(owner[rows.receipt.codes])))
    return Anonymized(publish(draft, rng), {"changed": f"{what} permuted over the whole table"})


def _dates_shuffled(rows: Transactions, rng: np.random.Generator) -> Transactions:
    first = np.unique(rows.receipt.codes, return_index=True)[1]
    source = first[rng.permutation(len(first))][rows.receipt.codes]
    return replace(rows, day=frozen(rows.day[source]), minute=frozen(rows.minute[source]))


def shuffled_within(groups: Codes, rng: np.random.Generator) -> np.ndarray:
    """A permutation of row numbers that moves rows only inside their group.

    >>> shuffled_within(np.array([0, 1, 0, 1]), np.random.default_rng(5)).tolist()
    [2, 3, 0, 1]
    """
    places = np.argsort(groups, kind="stable")
    drawn = np.lexsort((rng.random(len(groups)), groups))
    order = np.empty(len(groups), dtype=np.int64)
    order[places] = drawn
    return order


SHUFFLE = Anonymizer(
    name="shuffle",
    title="Shuffle a column",
    meaning="One kind of value is permuted over the whole table; its distribution stays exactly the same.",
    function=shuffle,
    reference="Swapping of all: Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Table 6.",
    version=1,
    parameters=(
        Parameter(
            "what", "choice", "master", "Which values are permuted.",
            choices=("master", "dates", "quantities", "receipts"),
        ),
    ),
)  # fmt: skip
