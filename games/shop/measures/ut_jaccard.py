"""ut-jaccard: how far the customers' item sets moved."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from datasets.tables import Integers
from games.shop.data.pairing import checked_truth
from games.shop.data.tables import PurchaseData
from scoring.measure import Measure, Measurement
from scoring.pairing import common_keys, distinct_pairs, largest, shared_codes


def ut_jaccard(
    original: PurchaseData,
    released: PurchaseData,
    truth: npt.ArrayLike,
    *,
    vanished: Literal["charge", "ignore"] = "charge",
) -> Measurement:
    """Mean Jaccard distance between the item sets of a customer before and after.

    With S(T, c) the set of items that c bought and p(i) the customer who is row i of M′:

        ut-jaccard = (1/n′) Σ_i d(S(T, p(i)), S(T′, i)),   d(A, B) = 1 − |A ∩ B| / |A ∪ B|,   d(∅, ∅) = 0.

    0 means that everybody kept exactly their items, 1 that nobody kept any. Quantities, prices and dates do
    not matter. Where M′ has fewer rows than M, ``vanished="charge"`` (platform definition v1) divides by n
    and counts 1 for each vanished customer; ``vanished="ignore"`` is the paper's 1/n′ over those who stayed.

    Range 0 to 1, lower is better. The detail lists the customers who moved most, a histogram of the
    distances in ten bins, and how many vanished.

    Reference: Nakagawa, "Anonymization and Re-identification for Personal Transaction Data" (PWSCUP 2016).

    >>> from games.shop.measure_examples import tea_and_cake
    >>> original, released, truth = tea_and_cake()
    >>> ut_jaccard(original, released, truth).value  # A kept 1 of 2 items, B kept both
    0.25
    """
    if vanished not in ("charge", "ignore"):
        raise ValueError(
            f"The 'vanished' option of ut-jaccard must be 'charge' or 'ignore'. Got {vanished!r} instead."
        )
    people = checked_truth(original, released, truth)
    common, united = _set_sizes(original, released, people)
    distance = np.divide(united - common, united, out=np.zeros(len(people)), where=united > 0)
    n_vanished = original.n_customers - len(people)
    charged = n_vanished if vanished == "charge" else 0
    counted = len(people) + charged
    # fsum rounds once, so the order of the customers cannot show in the last bit.
    value = (math.fsum(distance) + charged) / counted if counted else 0.0
    return Measurement(value, _detail(original, released, people, distance, n_vanished, vanished))


def _set_sizes(original: PurchaseData, released: PurchaseData, people: Integers) -> tuple[Integers, Integers]:
    """|A ∩ B| and |A ∪ B| for every row of M′."""
    items, items_after, labels = shared_codes(original.transactions.item, released.transactions.item)
    n, n_items = original.n_customers, max(len(labels), 1)
    customer_after = people.astype(np.int32)[released.transactions.customer]
    before = distinct_pairs(original.transactions.customer, items, n, n_items)
    after = distinct_pairs(customer_after, items_after, n, n_items)
    both = common_keys(before, after)
    common, size, size_after = (_counts(keys, n, n_items) for keys in (both, before, after))
    return common[people], (size + size_after - common)[people]


def _counts(keys: npt.NDArray[Any], n: int, n_items: int) -> Integers:
    """How many of the sorted keys belong to each customer."""
    return np.diff(np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n_items))


def _detail(
    original: PurchaseData,
    released: PurchaseData,
    people: Integers,
    distance: npt.NDArray[np.float64],
    n_vanished: int,
    vanished: str,
) -> dict[str, Any]:
    worst = [
        {
            "pseudonym": released.master.ids[row],
            "customer": original.master.ids[people[row]],
            "distance": float(distance[row]),
        }
        for row in largest(distance, 10)
    ]
    counts, _ = np.histogram(distance, bins=10, range=(0.0, 1.0))
    return {
        "worst_customers": worst,
        "histogram": {"edges": [step / 10 for step in range(11)], "counts": counts.tolist()},
        "unchanged_customers": int((distance == 0).sum()),
        "vanished_customers": n_vanished,
        "vanished": vanished,
    }


UT_JACCARD = Measure(
    name="ut-jaccard",
    title="Item sets moved",
    meaning="Average share of a customer's items that differ between the original and the release.",
    function=ut_jaccard,
    low=0.0,
    high=1.0,
    better="lower",
    reference="Nakagawa, Anonymization and Re-identification for Personal Transaction Data (PWSCUP 2016)",
    version=1,
    uses_truth=True,
)
