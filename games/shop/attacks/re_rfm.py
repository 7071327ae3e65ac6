"""Nearest recency, frequency and money."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.numeric_nearest import nearest_points
from games.shop.data.tables import PurchaseData
from games.shop.linkage.numbers import scaled_rfm


def re_rfm(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer with the nearest recency, frequency and money.

    q(i) = argmin_j ‖x_j − x′_i‖₂, x = log(1 + (R, F, M)) in units of the original standard deviations: R days
    from the last purchase to the day after the last date of T, F receipts, M total spend. The smallest row
    of M on ties.

    Exploits: the RFM measure forces an entry to keep these three. Cost: a k-d tree.

    Reference: platform definition v1 on the measure RFM of H. Nakagawa, "Anonymization and Re-identification
    for Personal Transaction Data", PWSCUP 2016.
    """
    return nearest_points(*scaled_rfm(original, released))


RE_RFM = HouseAttack(
    name="re-rfm",
    title="Nearest recency, frequency, money",
    meaning="Each released customer is taken for the one with the nearest recency, frequency and spend.",
    exploits="The RFM measure forces an entry to keep these three numbers.",
    cost="A k-d tree over three numbers per customer.",
    function=re_rfm,
    reference="Platform definition v1 on the RFM measure of PWSCUP 2016",
    version=2,
)
