"""Nearest structure of receipts."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import receipt_view


def re_receipts(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer whose receipts are built most alike.

    q(i) = argmax_j J(R(T, j), R(T′, i)), R the multiset that holds for every receipt its number of lines, its
    minute of the day, and the pair of its day and number of lines,
    with J(A, B) = w(A ∩ B) / w(A ∪ B), where a token's weight w = 1 + round(64 · log2(n / holders)) grows
    with its rarity; the smallest row of M on ties.

    Exploits: entries that change items or amounts line by line keep how the lines belong together. Cost:
    sparse, three tokens per receipt.

    Reference: platform definition v1.
    """
    return nearest(receipt_view(original, released))


RE_RECEIPTS = HouseAttack(
    name="re-receipts",
    title="Nearest receipts",
    meaning="Each released customer is taken for the one with the most similar receipts: sizes, times, days.",
    exploits="Changing items and amounts line by line keeps the number and the sizes of receipts.",
    cost="Sparse: reads the index of tokens from the rarest on; never an n × n′ matrix.",
    function=re_receipts,
    reference="Platform definition v1",
    version=1,
)
