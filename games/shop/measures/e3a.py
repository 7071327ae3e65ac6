"""E3a of 2017: the best-selling items that are no longer so."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.item_similarity import best_sellers
from games.shop.measures.sheets import purchases_2017
from scoring.measure import Measure, Measurement


def e3a(original: Sheet, released: Sheet, truth: npt.ArrayLike | None = None) -> Measurement:
    """Share of the hundred items with most buyers that A(T) does not have among its hundred.

    Items are sorted by (distinct buyers, item id), descending; the buyers of A(T) are its pseudonyms:

        E3a = |top100(T) \\ top100(A(T))| / 100

    Range 0 to 1, lower is better. The detail names the lost and the new items.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    before, after, labels = purchases_2017(original, released)
    top, top_after = set(best_sellers(before, labels)), set(best_sellers(after, labels))
    detail = {
        "lost": sorted(str(labels[item]) for item in top - top_after),
        "new": sorted(str(labels[item]) for item in top_after - top),
    }
    return Measurement(len(top - top_after) / 100, detail)


E3A = Measure(
    name="e3a",
    title="Top items kept",
    meaning="Share of the 100 items with most buyers that dropped out of the top 100.",
    function=e3a,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E3a",
    version=1,
    uses_truth=False,
    is_loss=True,
)
