"""item-cosine: how far the similarity of items bought by the same customers moved."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.tables import PurchaseData
from games.shop.measures.item_similarity import cosine_distance, once, purchases, worst_items
from scoring.measure import Measure, Measurement


def item_cosine(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """How far the item–item similarities by buyers moved.

    w(i, j) = |buyers of both| / sqrt(|buyers of i| · |buyers of j|) is the cosine of two different items over
    customers, w′ the same in T′; over the pairs that some customer of T bought:

        item-cosine = min(1, Σ |w − w′| / Σ w)

    Range 0 to 1, lower is better. P is not needed. The detail lists the items that moved most.

    Reference: E1 to E3 of the organisers of PWSCUP 2017, with score 1 for any purchase.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> item_cosine(*tea_and_cake()).value  # nobody buys tea and cake any more
    1.0
    """
    before, after, labels = purchases(original, released)
    value, moved, norm = cosine_distance(before, after, once)
    return Measurement(value, {"worst_items": worst_items(labels, moved, norm)})


ITEM_COSINE = Measure(
    name="item-cosine",
    title="Items bought together",
    meaning="How far the similarities of items bought by the same customers moved.",
    function=item_cosine,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, E1 to E3",
    version=1,
    uses_truth=False,
)
