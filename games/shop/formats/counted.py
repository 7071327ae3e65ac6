"""What the pictures of a shop's data set count: how long receipts are, how often items are bought, when."""

from __future__ import annotations

import numpy as np

from datasets.tables import Codes, Integers

Counted = dict[str, list[tuple[str, int]]]
"""Labels with their counts, by the name of what is counted."""


def counted(receipt_lines: Integers, item_counts: Integers, days: Codes) -> Counted:
    """A format without receipts has no baskets. Weekdays are numbered from Monday, 0."""
    months, counts = np.unique(
        np.array(days, dtype="datetime64[D]").astype("datetime64[M]"), return_counts=True
    )
    # The epoch, 1970-01-01, was a Thursday: day 3 of a week that begins on Monday.
    weekdays = np.bincount((days.astype(np.int64) + 3) % 7, minlength=7)
    baskets = {"baskets": _classes(receipt_lines)} if len(receipt_lines) else {}
    return baskets | {
        "items": _classes(item_counts),
        "months": [(str(name), count) for name, count in zip(months, counts.tolist(), strict=True)],
        "weekdays": [(str(number), count) for number, count in enumerate(weekdays.tolist())],
    }


def _classes(sizes: Integers) -> list[tuple[str, int]]:
    """How many sizes fall into classes that grow.

    >>> _classes(np.array([1, 1, 3, 250]))[:3]
    [('1', 2), ('2–4', 1), ('5–9', 0)]
    """
    edges = [1, 2, 5, 10, 20, 50, 100]
    labels = ["1", "2–4", "5–9", "10–19", "20–49", "50–99", "100+"]
    counts = np.bincount(np.searchsorted(edges, sizes, side="right") - 1, minlength=len(edges))
    return list(zip(labels, counts.tolist(), strict=True))
