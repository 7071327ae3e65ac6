"""Item–item similarity: which items the same people buy, and how far that moved."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers
from games.shop.data.tables import PurchaseData
from scoring.exact import exact_sums
from scoring.pairing import largest, shared_codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ITEMS_AT_ONCE = 1000
"""Rows of the item–item table that are held at a time; bounds the memory, whatever the number of items."""
Score = Callable[[Integers], Integers]
"""From the units that a user bought of an item to the score that the similarity counts; 0 drops the pair."""


@dataclass(frozen=True, eq=False)
class Bought:
    """Purchases as three columns of one length; items are codes over ``n_items`` that both sides share."""

    user: npt.NDArray[Any]
    item: npt.NDArray[Any]
    quantity: Integers
    n_items: int


def shared_purchases(
    before: tuple[npt.NDArray[Any], Coded, Integers], after: tuple[npt.NDArray[Any], Coded, Integers]
) -> tuple[Bought, Bought, npt.NDArray[np.object_]]:
    """Two tables of (user, item, quantity) over one numbering of items, and the items' labels."""
    items, items_after, labels = shared_codes(before[1], after[1])
    n = len(labels)
    return Bought(before[0], items, before[2], n), Bought(after[0], items_after, after[2], n), labels


def purchases(
    original: PurchaseData, released: PurchaseData
) -> tuple[Bought, Bought, npt.NDArray[np.object_]]:
    """The purchases of T and T′, whose users are the rows of M and of M′."""
    before, after = original.transactions, released.transactions
    return shared_purchases(
        (before.customer, before.item, before.quantity), (after.customer, after.item, after.quantity)
    )


def steps_of_twelve(quantity: Integers) -> Integers:
    """How many of 12, 24, 36, 48, 60, 72 a quantity reaches: the score of E1."""
    return np.minimum(quantity // 12, 6)


def small_quantities(quantity: Integers) -> Integers:
    """The quantity itself up to 11, else nothing: the score of E2."""
    return np.where(quantity <= 11, quantity, 0)


def once(quantity: Integers) -> Integers:
    """1 for any purchase: the score of E3."""
    return np.minimum(quantity, 1)


def cosine_distance(
    before: Bought, after: Bought, score: Score
) -> tuple[float, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """min(1, Σ |w − w′| / Σ w) over the pairs of different items that some user of T bought together.

    w(i, j) is the cosine of the items' score vectors over users. The second and third result are the sums
    of |w − w′| and of w by item, over its pairs.
    """
    moved, similarity = np.zeros(before.n_items), np.zeros(before.n_items)
    sides = [_scores(side, score) for side in (before, after)]
    for start in range(0, before.n_items, ITEMS_AT_ONCE):
        rows = slice(start, start + ITEMS_AT_ONCE)
        w, w_after = (_cosines(side, rows) for side in sides)
        moved[rows] = (np.abs(w - w_after) * (w > 0)).sum(axis=1)
        similarity[rows] = w.sum(axis=1)
    total = math.fsum(similarity)
    return (min(1.0, math.fsum(moved) / total) if total else 0.0), moved, similarity


def _cosines(scores: csr_array, rows: slice) -> npt.NDArray[np.float64]:
    """The cosines of some items with all items; 0 with oneself."""
    # Dot products and squares of whole numbers are exact; only the norms are rounded.
    norms = np.sqrt(np.asarray(scores.multiply(scores).sum(axis=0)).ravel().astype(np.float64))
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    cosines: npt.NDArray[np.float64] = (scores.T[rows] @ scores).toarray().astype(np.float64)
    cosines *= inverse
    cosines *= inverse[rows, None]
    cosines[np.arange(len(cosines)), np.arange(rows.start, rows.start + len(cosines))] = 0.0
    return cosines


def _scores(side: Bought, score: Score) -> csr_array:
    """The scores of users (rows) by items (columns)."""
    from scipy.sparse import csr_array

    keys = side.user.astype(np.int64) * max(side.n_items, 1) + side.item
    pairs, group = np.unique(keys, return_inverse=True)
    scores = score(exact_sums(group, side.quantity, len(pairs)).astype(np.int64))
    user, item = np.divmod(pairs[scores > 0], max(side.n_items, 1))
    n_users = int(side.user.max(initial=-1)) + 1
    return csr_array((scores[scores > 0], (user, item)), shape=(n_users, side.n_items))


def best_sellers(side: Bought, labels: npt.NDArray[np.object_], count: int = 100) -> list[int]:
    """The items with most distinct buyers; ties go to the larger id, as the organisers of 2017 sorted."""
    pairs = np.unique(side.user.astype(np.int64) * max(side.n_items, 1) + side.item)
    buyers = np.bincount(pairs % max(side.n_items, 1), minlength=side.n_items)
    order = sorted(range(side.n_items), key=lambda item: (buyers[item], labels[item]), reverse=True)
    return [item for item in order[:count] if buyers[item]]


def restricted(side: Bought, items: list[int]) -> Bought:
    """Only the purchases of some items."""
    kept = np.isin(side.item, items)
    return Bought(side.user[kept], side.item[kept], side.quantity[kept], side.n_items)


def worst_items(
    labels: npt.NDArray[np.object_], moved: npt.NDArray[np.float64], norm: npt.NDArray[np.float64]
) -> list[dict[str, Any]]:
    """The items whose similarities moved most, for a detail."""
    return [
        {"item": str(labels[code]), "moved": float(moved[code]), "similarity": float(norm[code])}
        for code in largest(moved, 10).tolist()
        if moved[code] > 0
    ]
