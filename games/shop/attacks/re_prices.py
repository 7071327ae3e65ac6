"""Nearest unit prices of items."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import price_view


def re_prices(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer who paid the most similar prices for the same items.

    q(i) = argmax_j J(A(T, j), A(T′, i)), A the multiset of (item, unit price) over a customer's rows,
    with J(A, B) = w(A ∩ B) / w(A ∪ B), where a token's weight w = 1 + round(64 · log2(n / holders)) grows
    with its rarity; the smallest row of M on ties.

    Exploits: a price dates a purchase, and discounts single out customers; how often an item was bought
    counts too. Cost: sparse, one token per row.

    Reference: platform definition v1, after attack S2 of PWSCUP 2017.
    """
    return nearest(price_view(original, released))


RE_PRICES = HouseAttack(
    name="re-prices",
    title="Nearest unit prices",
    meaning="Each released customer is taken for the one who paid the most similar prices for items.",
    exploits="A price dates a purchase, and discounts single out customers.",
    cost="Sparse: reads the index of tokens from the rarest on; never an n × n′ matrix.",
    function=re_prices,
    reference="Platform definition v1, after attack S2 of PWSCUP 2017",
    version=1,
)
