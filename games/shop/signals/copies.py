"""Entries that are nearly the same although two teams made them."""

from __future__ import annotations

from collections import Counter

from attacks.signals.evidence import Evidence
from games.shop.data.tables import PurchaseData

THRESHOLD = 0.5
FEWEST = 20
"""With fewer changed rows an agreement says nothing."""

Row = tuple[int, int, str, int, int]


def near_duplicate(original: PurchaseData, first: PurchaseData, second: PurchaseData) -> Evidence:
    """How much of what two entries changed they changed in the same way.

    Both are close to the original, and so to each other; that is no evidence. It compares the rows of T′,
    without pseudonym and receipt, that T does not hold: share = |A ∩ B| / |A ∪ B| of these multisets, from 0
    to 1. Two teams that add noise of their own agree in few of them; a copy agrees in nearly all. An honest
    reason: both used the same method without randomness, such as rounding.

    >>> from games.shop.data.generate import generate
    >>> data = generate(5, seed=1)
    >>> near_duplicate(data, data, data).strength
    0.0
    """
    return compare_changes(changed_rows(original, first), changed_rows(original, second))


def changed_rows(original: PurchaseData, released: PurchaseData) -> Counter[Row]:
    """The rows of T′ that T does not hold."""
    return _rows(released) - _rows(original)


def compare_changes(mine: Counter[Row], theirs: Counter[Row]) -> Evidence:
    """`near_duplicate` where the changed rows are known already."""
    shared, together = (mine & theirs).total(), (mine | theirs).total()
    enough = min(mine.total(), theirs.total()) >= FEWEST
    share = shared / together if enough and together else 0.0
    detail = {"changed": mine.total(), "changed_other": theirs.total(), "the_same": shared}
    return Evidence("near-duplicate", share, THRESHOLD, detail)


def _rows(data: PurchaseData) -> Counter[Row]:
    rows = data.transactions
    columns = (rows.day, rows.minute, rows.item.texts(), rows.price, rows.quantity)
    return Counter(zip(*(column.tolist() for column in columns), strict=True))
