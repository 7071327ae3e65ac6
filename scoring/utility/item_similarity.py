"""Item–item similarity: which items the same people buy, and how far that moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers
from scoring.exact import exact_sums
from scoring.pairing import largest, shared_codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
    w, w_after = (_cosines(side, score) for side in (before, after))
    pairs = w.copy()
    pairs.data[:] = 1.0
    difference = abs(w - w_after.multiply(pairs))
    total = float(w.sum())
    by_item, norm = np.asarray(difference.sum(axis=1)).ravel(), np.asarray(w.sum(axis=1)).ravel()
    return (min(1.0, float(difference.sum()) / total) if total else 0.0), by_item, norm


def _cosines(side: Bought, score: Score) -> csr_array:
    from scipy.sparse import csr_array, diags_array

    matrix = _scores(side, score)
    # Dot products of whole numbers are exact; only the norms are rounded.
    products = csr_array(matrix.T @ matrix).astype(np.float64)
    norms = np.sqrt(products.diagonal())
    products.setdiag(0.0)
    products.eliminate_zeros()
    scale = diags_array(np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0))
    return csr_array(scale @ products @ scale)


def _scores(side: Bought, score: Score) -> csr_array:
    """The scores of users (rows) by items (columns)."""
    from scipy.sparse import csr_array

    keys = side.user.astype(np.int64) * max(side.n_items, 1) + side.item
    pairs, group = np.unique(keys, return_inverse=True)
    scores = score(exact_sums(group, side.quantity, len(pairs)).astype(np.int64))
    user, item = np.divmod(pairs[scores > 0], max(side.n_items, 1))
    n_users = int(side.user.max(initial=-1)) + 1
    return csr_array((scores[scores > 0], (user, item)), shape=(n_users, side.n_items))


def top_items(side: Bought, labels: npt.NDArray[np.object_], count: int = 100) -> list[int]:
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
