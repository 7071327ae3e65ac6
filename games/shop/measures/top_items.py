"""top-items: the best-selling items that are no longer so."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.tables import PurchaseData
from games.shop.measures.item_similarity import best_sellers, purchases
from scoring.measure import Measure, Measurement


def top_items(original: PurchaseData, released: PurchaseData, truth: npt.ArrayLike) -> Measurement:
    """Share of T's hundred best-selling items that T′ does not have among its hundred.

    Items are ranked by (distinct customers, item id), descending:

        top-items = |top100(T) \\ top100(T′)| / |top100(T)|

    With fewer than a hundred items all of them count. Range 0 to 1, lower is better. P is not needed. The
    detail names the lost and the new items.

    Reference: E3 (a) of the organisers of PWSCUP 2017.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> top_items(*tea_and_cake()).value  # of tea and cake only tea is left
    0.5
    """
    before, after, labels = purchases(original, released)
    top, top_after = set(best_sellers(before, labels)), set(best_sellers(after, labels))
    detail = {
        "lost": sorted(str(labels[item]) for item in top - top_after),
        "new": sorted(str(labels[item]) for item in top_after - top),
    }
    return Measurement(len(top - top_after) / max(len(top), 1), detail)


TOP_ITEMS = Measure(
    name="top-items",
    title="Top items kept",
    meaning="Share of the 100 items with most buyers that dropped out of the top 100.",
    function=top_items,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, E3",
    version=1,
    uses_truth=False,
)
