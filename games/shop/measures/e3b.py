"""E3b of 2017: similarity among the best-selling items."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.item_similarity import best_sellers, cosine_distance, once, restricted, worst_items
from games.shop.measures.sheets import purchases_2017
from scoring.measure import Measure, Measurement


def e3b(original: Sheet, released: Sheet, truth: npt.ArrayLike | None = None) -> Measurement:
    """How far the similarities among the hundred items with most buyers of T moved.

    As E1, with score 1 for any purchase and only over the items of top100(T), see E3a:

        E3b = min(1, Σ |w − w′| / Σ w)

    Range 0 to 1, lower is better. The detail lists the items that moved most.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    before, after, labels = purchases_2017(original, released)
    top = best_sellers(before, labels)
    value, moved, norm = cosine_distance(restricted(before, top), restricted(after, top), once)
    return Measurement(value, {"worst_items": worst_items(labels, moved, norm)})


E3B = Measure(
    name="e3b",
    title="Top items bought together",
    meaning="How far the similarities among the 100 items with most buyers moved.",
    function=e3b,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E3b",
    version=1,
    uses_truth=False,
    is_loss=True,
)
