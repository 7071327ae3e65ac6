"""Equal numbers of rows, for the tables of 2018."""

from __future__ import annotations

import numpy as np

from attacks.attack import HouseAttack
from datasets.tables import NO_GUESS, Integers
from games.shop.answers import Answer
from games.shop.data.pwscup2018 import Release2018, Sheet2018


def re_counts(original: Sheet2018, released: Release2018, rng: np.random.Generator) -> Answer:
    """Claim a customer whose number of rows nobody else has, if exactly one pseudonym has that number.

    Exploits: intervals, sets and stars hide what was bought but not how much, and only deleting whole rows
    changes a customer's number of them. Makes few claims, most of them right where no row was deleted. Cost:
    counting.

    Reference: platform definition v1.
    """
    customers = np.bincount(original.id.codes, minlength=original.id.n_labels)
    pseudonyms = np.bincount(released.id.codes, minlength=released.id.n_labels)
    owner = _alone(pseudonyms)
    claimed: Integers = np.full(len(customers), NO_GUESS, dtype=np.int64)
    for count, customer in _alone(customers).items():
        claimed[customer] = owner.get(count, NO_GUESS)
    return Answer(claimed)


def _alone(counts: np.ndarray) -> dict[int, int]:
    """Who has a number that nobody else has, by that number."""
    numbers, first, times = np.unique(counts, return_index=True, return_counts=True)
    return dict(zip(numbers[times == 1].tolist(), first[times == 1].tolist(), strict=True))


RE_COUNTS = HouseAttack(
    name="re-counts",
    title="Equal numbers of rows",
    meaning="A customer is taken for the one pseudonym that has as many rows, "
    "if no other customer has that many.",
    exploits="Generalised cells do not hide how many rows a customer has.",
    cost="Counting.",
    function=re_counts,
    reference="Platform definition v1",
    version=1,
)
