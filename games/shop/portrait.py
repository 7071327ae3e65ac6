"""The numbers behind an entry's pictures: what a release did to customers, days and RFM cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from datasets.tables import Integers, date_text
from games.shop.data.pwscup2017 import Sheet
from games.shop.data.pwscup2018 import STAR, Release2018, Sheet2018
from games.shop.data.tables import PurchaseData
from games.shop.measures.rfm import rfm_cells
from games.shop.measures.ut_jaccard import ut_jaccard
from scoring.pairing import common_keys, distinct_pairs, shared_codes

VERSION = 1
MOST_POINTS = 400
"""A longer span of days is counted in steps of several days."""
BINS = 10


def portrait(original: Any, released: Any, truth: npt.ArrayLike | None) -> dict[str, Any]:
    """Counts for pictures, as JSON values; none of them identifies a single customer.

    - ``jaccard``: customers by the Jaccard distance of their item sets, in ten bins of the width 0.1, and
      how many vanished (formats 2016 and 2017);
    - ``days``: purchased lines before and after in every ``step`` days from ``first`` on, over all dates that
      the original or the release has; in the format of 2018 an interval counts at its middle, a star not;
    - ``rfm``: customers in the 125 cells of recency, frequency and money before and after (format 2016).

    Original, release and truth are what the measures of the format take. Reference: the measures ut-jaccard
    and rfm, whose definitions these counts share.

    >>> from games.shop.measure_examples import tea_and_cake
    >>> found = portrait(*tea_and_cake())
    >>> found["jaccard"]["counts"], found["days"]
    ([1, 0, 0, 0, 0, 1, 0, 0, 0, 0], {'first': '2011/1/1', 'step': 1, 'before': [2, 1], 'after': [1, 1]})
    """
    numbers: dict[str, Any] = {"version": VERSION}
    if isinstance(original, PurchaseData):
        moved = ut_jaccard(original, released, truth if truth is not None else []).detail
        before, after = rfm_cells(original, released)
        histogram = moved["histogram"]
        numbers["jaccard"] = {**histogram, "vanished": moved["vanished_customers"]}
        numbers["rfm"] = {"before": before, "after": after}
        numbers["days"] = _days(original.transactions.day, released.transactions.day)
    elif isinstance(original, Sheet):
        numbers["jaccard"] = _sheet_distances(original, released)
        numbers["days"] = _days(original.day, released.day[~released.deleted])
    elif isinstance(original, Sheet2018):
        numbers["days"] = _days(original.day, _middle_days(released))
    return numbers


def _sheet_distances(original: Sheet, released: Sheet) -> dict[str, Any]:
    """Row i of the release is row i of the original, so a customer's rows are known on both sides."""
    items, items_after, labels = shared_codes(original.item, released.item)
    n, n_items = original.user.n_labels, max(len(labels), 1)
    kept = ~released.deleted
    before = distinct_pairs(original.user.codes, items, n, n_items)
    after = distinct_pairs(original.user.codes[kept], items_after[kept], n, n_items)
    edges = np.arange(n + 1, dtype=np.int64) * n_items
    common, size, size_after = (
        np.diff(np.searchsorted(keys, edges)) for keys in (common_keys(before, after), before, after)
    )
    united = size + size_after - common
    distance = np.divide(united - common, united, out=np.zeros(n), where=united > 0)
    counts, _ = np.histogram(distance[size_after > 0], bins=BINS, range=(0.0, 1.0))
    return {
        "edges": [step / BINS for step in range(BINS + 1)],
        "counts": counts.tolist(),
        "vanished": int((size_after == 0).sum()),
    }


def _middle_days(released: Release2018) -> Integers:
    known = ~released.deleted & (released.day.kind != STAR)
    return ((released.day.low + released.day.high) // 2)[known]


def _days(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> dict[str, Any]:
    both = [days.astype(np.int64) for days in (before, after)]
    seen = np.concatenate(both)
    if not len(seen):
        return {"first": "", "step": 1, "before": [], "after": []}
    first, last = int(seen.min()), int(seen.max())
    step = 1 + (last - first) // MOST_POINTS
    n = (last - first) // step + 1
    counts = [np.bincount((days - first) // step, minlength=n).tolist() for days in both]
    return {"first": date_text(first), "step": step, "before": counts[0], "after": counts[1]}
