"""The item-set attack that never names a customer twice."""

from __future__ import annotations

import numpy as np

from attacks.attack import Guess, HouseAttack
from attacks.linkage.assignment import DENSE_LIMIT, match_all, match_listed
from attacks.linkage.candidates import candidates, similarity_matrix
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import item_view

LIST_LENGTH = 32


def re_itemset_match(original: PurchaseData, released: PurchaseData, rng: np.random.Generator) -> Guess:
    """Guess one-to-one so that the sum of Jaccard distances of item sets is least.

    Q minimises Σ_i d(S(T, Q(i)), S(T′, i)) over all Q that repeat no row, d as in re-itemset. The optimum is
    exact up to 4096 × 4096 customers. Beyond, it is the optimum over the 32 nearest candidates of each
    released customer; those left over get a free row.

    Exploits: P is a permutation, so a customer whom one released row fits well is no candidate for others.
    Cost: an assignment problem, O(n³) at worst; beyond the limit a sparse one over 32 · n′ pairs.

    Reference: platform definition v1; D. F. Crouse, "On implementing 2D rectangular assignment algorithms",
    2016 (as in scipy.optimize.linear_sum_assignment).
    """
    view = item_view(original, released)
    if original.n_customers * released.n_customers <= DENSE_LIMIT:
        return Guess(match_all(similarity_matrix(view)))
    return Guess(match_listed(candidates(view, LIST_LENGTH), original.n_customers))


RE_ITEMSET_MATCH = HouseAttack(
    name="re-itemset-match",
    title="Best one-to-one match of item sets",
    meaning="As re-itemset, but nobody is named twice: the sum of all distances is the least possible.",
    exploits="P is a permutation: a customer who fits one released row is no candidate for the others.",
    cost="An assignment problem: exact up to 4,096 customers, over 32 candidates each beyond.",
    function=re_itemset_match,
    reference="Platform definition v1; Crouse, 'On implementing 2D rectangular assignment algorithms', 2016",
    version=1,
)
