"""Nearest days of purchase."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import day_view


def re_dates(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer whose receipts fall on the most similar days.

    q(i) = argmax_j J(D(T, j), D(T′, i)), D the multiset of the days of a customer's receipts,
    with J(A, B) = w(A ∩ B) / w(A ∪ B), where a token's weight w = 1 + round(64 · log2(n / holders)) grows
    with its rarity; the smallest row of M on ties.

    Exploits: few people shop on the same handful of days, and measures of utility pin dates down to windows.
    Cost: sparse, one token per receipt.

    Reference: platform definition v1, after the date attacks S1 and S4 of PWSCUP 2017.
    """
    return nearest(day_view(original, released))


RE_DATES = HouseAttack(
    name="re-dates",
    title="Nearest days of purchase",
    meaning="Each released customer is taken for the one whose receipts fall on the most similar days.",
    exploits="The days on which a person shops form a pattern that hardly anybody shares.",
    cost="Sparse: reads the index of tokens from the rarest on; never an n × n′ matrix.",
    function=re_dates,
    reference="Platform definition v1, after attacks S1 and S4 of PWSCUP 2017",
    version=1,
)
