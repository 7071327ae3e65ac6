"""Nearest item set where rare items count more."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import item_view


def re_itemset_rare(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer whose item set is most similar, weighing items by their rarity.

    q(i) = argmax_j J(S(T, j), S(T′, i)),
    with J(A, B) = w(A ∩ B) / w(A ∪ B), where a token's weight w = 1 + round(64 · log2(n / holders)) grows
    with its rarity; the smallest row of M on ties.

    Exploits: two people who share an item that few buy are likely the same; a shared bestseller says little,
    so items added at random from the bestsellers do not mislead. Cost: as re-itemset.

    Reference: platform definition v1; weights after K. Spärck Jones, "A statistical interpretation of term
    specificity", 1972.
    """
    return nearest(item_view(original, released, rarity=True))


RE_ITEMSET_RARE = HouseAttack(
    name="re-itemset-rare",
    title="Nearest item set, rare items first",
    meaning="As re-itemset, but a shared item counts by how few customers bought it.",
    exploits="Rare items survive in an entry and point to few people.",
    cost="Sparse: reads the index of tokens from the rarest on; never an n × n′ matrix.",
    function=re_itemset_rare,
    reference="Platform definition v1; weights after Spärck Jones, 1972",
    version=1,
)
