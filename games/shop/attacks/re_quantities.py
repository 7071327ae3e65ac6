"""Nearest quantities of items."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import quantity_view


def re_quantities(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer who bought the most similar quantities of the same items.

    q(i) = argmax_j J(A(T, j), A(T′, i)), A the multiset of (item, quantity) over a customer's rows,
    with J(A, B) = w(A ∩ B) / w(A ∪ B), where a token's weight w = 1 + round(64 · log2(n / holders)) grows
    with its rarity; the smallest row of M on ties.

    Exploits: unusual quantities distinguish customers with equal item sets. Cost: sparse, one token per row.

    Reference: platform definition v1, after attack S3 of PWSCUP 2017.
    """
    return nearest(quantity_view(original, released))


RE_QUANTITIES = HouseAttack(
    name="re-quantities",
    title="Nearest quantities",
    meaning="Each released customer is taken for the one who bought the most similar quantities of items.",
    exploits="Unusual quantities distinguish people with equal item sets.",
    cost="Sparse: reads the index of tokens from the rarest on; never an n × n′ matrix.",
    function=re_quantities,
    reference="Platform definition v1, after attack S3 of PWSCUP 2017",
    version=1,
)
