"""The attack of the 2016 contest: nearest item set."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.nearest import nearest
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import item_view


def re_itemset(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess the customer whose set of purchased items is most similar.

    q(i) = argmin_j d(S(T, j), S(T′, i)) with d(A, B) = 1 − |A ∩ B| / |A ∪ B|, d(∅, ∅) = 0; the smallest row
    of M on ties. Distances are compared exactly, as fractions of whole numbers.

    Exploits: item sets of customers are diverse, and the utility measure ut-jaccard forces an entry to keep
    them. Cost: an inverted index read from the rarest item on; never an n × n′ matrix.

    Reference: H. Nakagawa, "Anonymization and Re-identification for Personal Transaction Data", PWSCUP 2016,
    slide "Effective re-identification method: re-itemset".
    """
    return nearest(item_view(original, released))


RE_ITEMSET = HouseAttack(
    name="re-itemset",
    title="Nearest item set",
    meaning="Each released customer is taken for the one whose set of purchased items is most similar.",
    exploits="Item sets differ from person to person, and ut-jaccard forces entries to keep them.",
    cost="Sparse: reads the index of items from the rarest on; 50,000 customers in seconds.",
    function=re_itemset,
    reference='Nakagawa, "Anonymization and Re-identification for Personal Transaction Data", PWSCUP 2016',
    version=1,
)
