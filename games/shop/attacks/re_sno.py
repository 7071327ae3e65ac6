"""Exact linkage that snowballs."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.feature_sets import View
from attacks.linkage.snowball import nobody_linked, snowball
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import basket_view, common_codes, transaction_view

ROW_QIDS: tuple[tuple[str, ...], ...] = (
    ("day", "item", "price", "quantity"),
    ("day", "item", "quantity"),
    ("day", "item"),
    ("item", "quantity"),
    ("item",),
)


def re_sno(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Link people by quasi-identifiers (QIDs) that only one of them has on each side, and snowball.

    A QID that exactly one person holds in T and one in T′ links the two; both are then removed with all their
    incidences, which makes further QIDs unique, until none is left. The QIDs, one kind after another from the
    strictest: a whole receipt (day, items and quantities), its items and quantities, a row's day, item, price
    and quantity; day, item and quantity; day and item; item and quantity; item. A person who is never linked
    gets no guess.

    Exploits: a single purchase left unchanged that nobody else made gives a person away, and each person
    found exposes others. Cost: linear in the rows of T and T′.

    Reference: Li, Schneider, Yu, Gupta, "Reidentification Risk in Panel Data: Protecting for k-Anonymity",
    Definition 1 (snowballing unicity); the linkage and the order of QIDs are platform definition v1.
    """
    links = nobody_linked(released.n_customers)
    links = snowball(basket_view(original, released, days=True), links)
    links = snowball(basket_view(original, released, days=False), links)
    for names in ROW_QIDS:
        links = snowball(_row_view(original, released, names), links)
    return Guess(links.rows)


def _row_view(original: PurchaseData, released: PurchaseData, names: tuple[str, ...]) -> View:
    """Each row of T gives one QID, made of some of its columns."""
    items = common_codes(original.transactions.item, released.transactions.item)
    left, right = (
        tuple(item if name == "item" else getattr(data.transactions, name) for name in names)
        for data, item in zip((original, released), items, strict=True)
    )
    return transaction_view(original, released, (left, right))


RE_SNO = HouseAttack(
    name="re-sno",
    title="Snowballing linkage",
    meaning="Purchases that only one person made link people; each one found exposes others.",
    exploits="One unchanged purchase that nobody else made gives a person away.",
    cost="Linear in the rows of T and T′.",
    function=re_sno,
    reference="Li, Schneider, Yu, Gupta, 'Reidentification Risk in Panel Data', Definition 1",
    version=1,
)
