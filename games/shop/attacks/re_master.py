"""Nearest master record."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import master_view


def re_master(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer with the most similar gender, country and birthday.

    q(i) = argmax_j J(M_j, M′_i), the tokens of a person being gender, country, birthday, and the year and the
    month of the birthday,
    with J(A, B) = w(A ∩ B) / w(A ∪ B), where a token's weight w = 1 + round(64 · log2(n / holders)) grows
    with its rarity; the smallest row of M on ties.

    Exploits: a birthday kept in M′ is close to a name; where only the day was changed, year and month remain.
    Cost: sparse, five tokens per person.

    Reference: platform definition v1; L. Sweeney, "Simple Demographics Often Identify People Uniquely", 2000.
    """
    return nearest(master_view(original, released))


RE_MASTER = HouseAttack(
    name="re-master",
    title="Nearest master record",
    meaning="Each released customer is taken for the one with the most similar gender, country and birthday.",
    exploits="A birthday kept in M′ is close to a name.",
    cost="Sparse: reads the index of tokens from the rarest on; never an n × n′ matrix.",
    function=re_master,
    reference="Platform definition v1; Sweeney, 'Simple Demographics Often Identify People Uniquely', 2000",
    version=1,
)
