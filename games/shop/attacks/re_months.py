"""Nearest item set, month by month."""

from __future__ import annotations

import numpy as np

from attacks.attack import HouseAttack
from attacks.linkage.overlap import nearest_columns, similarities
from datasets.tables import NO_GUESS
from games.shop.data.pwscup2017 import DELETED, MONTHS, Sheet, month_of
from games.shop.formats import Original2017
from games.shop.linkage.features import common_codes
from games.shop.months import MonthsGuess


def re_months(original: Original2017, released: Sheet, rng: np.random.Generator) -> MonthsGuess:
    """Guess, for every customer and month, the pseudonym whose items of that month are most similar.

    Customers' months in T and pseudonyms' months in S are sets of items; similarity is the Jaccard index with
    items weighted by rarity, log(1 + n / customers' months that have the item). A month of T that shares no
    item with any pseudonym of that month in S is guessed to be deleted.

    Exploits: dates may not leave their month, and utility requires that items stay. Knows all of T. Cost: one
    sparse product.

    Reference: platform definition v1.
    """
    sheet = original.sheet
    items = common_codes(sheet.item, released.item)
    months = month_of(sheet.day), month_of(released.day)
    n_left, n_right = sheet.user.n_labels, released.user.n_labels
    groups = (
        sheet.user.codes.astype(np.int64) * MONTHS + months[0],
        released.user.codes.astype(np.int64) * MONTHS + months[1],
    )
    columns = (months[0], items[0]), (months[1], items[1])
    best = nearest_columns(similarities((n_left * MONTHS, n_right * MONTHS), groups, columns))
    guess = np.full(n_left * MONTHS, DELETED, dtype=object)
    found = best != NO_GUESS
    guess[found] = released.user.labels[best[found] // MONTHS]
    return MonthsGuess((guess.reshape(n_left, MONTHS),))


RE_MONTHS = HouseAttack(
    name="re-months",
    title="Nearest item set per month",
    meaning="Each month of a customer is taken for the pseudonym with the most similar items in that month.",
    exploits="Dates may not leave their month, and utility requires that items stay.",
    cost="A sparse product of customers' months and pseudonyms' months.",
    function=re_months,
    reference="Platform definition v1",
    version=1,
)
