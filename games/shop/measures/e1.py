"""E1 of 2017: item–item similarity by large quantities."""

from __future__ import annotations

import numpy.typing as npt

from games.shop.data.pwscup2017 import Sheet
from games.shop.measures.item_similarity import cosine_distance, steps_of_twelve, worst_items
from games.shop.measures.sheets import purchases_2017
from scoring.measure import Measure, Measurement


def e1(original: Sheet, released: Sheet, truth: npt.ArrayLike | None = None) -> Measurement:
    """How far the item–item similarities by large quantities moved.

    q(u, i) is the quantity of item i that user u bought; the score of (u, i) is how many of 12, 24, 36, 48,
    60, 72 it reaches; score 0 drops the pair. w(i, j) is the cosine of the score vectors of two different
    items over users, w′ the same in A(T), whose users are its pseudonyms. Over the pairs that some user of T
    has together:

        E1 = min(1, Σ |w − w′| / Σ w)

    Range 0 to 1, lower is better. Deleted rows are left out. The detail lists the items that moved most.

    Reference: Organisers of PWSCUP 2017, utility measures.
    """
    before, after, labels = purchases_2017(original, released)
    value, moved, norm = cosine_distance(before, after, steps_of_twelve)
    return Measurement(value, {"worst_items": worst_items(labels, moved, norm)})


E1 = Measure(
    name="e1",
    title="Items bought together, large quantities",
    meaning="How far the similarities of items bought in large quantities moved.",
    function=e1,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Organisers of PWSCUP 2017, utility measures E1",
    version=1,
    uses_truth=False,
    is_loss=True,
)
