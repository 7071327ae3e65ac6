"""E2 of 2017: item–item similarity by small quantities."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.item_similarity import cosine_distance, small_quantities, worst_items
from games.shop.measures.sheets import purchases_2017
from scoring.measure import Measure, Measurement


def e2(original: Sheet, released: Sheet, truth: npt.ArrayLike | None = None) -> Measurement:
    """How far the item–item similarities by small quantities moved.

    q(u, i) is the quantity of item i that user u bought; the score of (u, i) is q itself up to 11, and larger
    quantities are dropped. w(i, j) is the cosine of the score vectors of two different items over users, w′
    the same in A(T), whose users are its pseudonyms. Over the pairs that some user of T has together:

        E2 = min(1, Σ |w − w′| / Σ w)

    Range 0 to 1, lower is better. Deleted rows are left out. The detail lists the items that moved most.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    before, after, labels = purchases_2017(original, released)
    value, moved, norm = cosine_distance(before, after, small_quantities)
    return Measurement(value, {"worst_items": worst_items(labels, moved, norm)})


E2 = Measure(
    name="e2",
    title="Items bought together, small quantities",
    meaning="How far the similarities of items bought in small quantities moved.",
    function=e2,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E2",
    version=1,
    uses_truth=False,
    is_loss=True,
)
