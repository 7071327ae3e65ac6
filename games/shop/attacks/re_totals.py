"""Nearest total spend."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.numeric_nearest import nearest_numbers
from games.shop.data.tables import PurchaseData
from games.shop.linkage.numbers import totals


def re_totals(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer whose total spend is nearest.

    q(i) = argmin_j |Σ price · quantity of j in T − Σ price · quantity of i in T′|, exactly, in whole
    hundredths; the smallest row of M on ties.

    Exploits: totals are nearly unique, and cmae, subset and RFM punish an entry that moves them. Cost: one
    sort.

    Reference: platform definition v1.
    """
    return nearest_numbers(totals(original), totals(released))


RE_TOTALS = HouseAttack(
    name="re-totals",
    title="Nearest total spend",
    meaning="Each released customer is taken for the one whose total spend is nearest.",
    exploits="Totals are nearly unique, and the measures of utility punish an entry that moves them.",
    cost="A sort.",
    function=re_totals,
    reference="Platform definition v1",
    version=1,
)
