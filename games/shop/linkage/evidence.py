"""All evidence that a pair of customers is the same: similarities from every view, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from arithmetic import log1p
from attacks.linkage.candidates import candidates
from attacks.linkage.feature_sets import TokenSets, View
from attacks.linkage.likelihood import Pairs, listed_pairs
from datasets.tables import Codes, Integers
from games.shop.data.tables import PurchaseData
from games.shop.linkage.features import (
    day_view,
    item_view,
    master_view,
    price_view,
    quantity_view,
    receipt_view,
)
from games.shop.linkage.numbers import scaled_rfm, totals

Floats = npt.NDArray[np.float64]
Similarities = npt.NDArray[np.float32]

SOURCES = ("items", "rare items", "quantities", "prices", "days", "receipts", "master", "total", "rfm")
FAMILIES = (0, 0, 0, 0, 1, 1, 2, 3, 3)
"""Sources of one family look at the same thing, so their agreement proves nothing."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Candidate pairs, sorted by released row: ``similarity[k]`` holds one number from 0 to 1 per source."""

    released: Integers
    original: Integers
    similarity: Similarities
    n_released: int


def evidence(original: PurchaseData, released: PurchaseData, most: int) -> Evidence:
    """List for every released customer the ``most`` best candidates of each source, and score them by all."""
    views, points = _views(original, released)
    pairs = _listed(views, points, most)
    left, right = np.divmod(pairs, max(original.n_customers, 1))
    similarity = np.empty((len(pairs), len(SOURCES)), dtype=np.float32)
    for source, view in enumerate(views):
        similarity[:, source] = pair_similarity(view, left, right)
    for source, pair in enumerate(points, start=len(views)):
        similarity[:, source] = _closeness(*pair, left, right)
    return Evidence(left, right, similarity, released.n_customers)


def likely_pairs(original: PurchaseData, released: PurchaseData, most: int) -> Pairs:
    """The ``most`` best candidates of every released customer by each source, without their similarities."""
    return listed_pairs(
        _listed(*_views(original, released), most), released.n_customers, original.n_customers
    )


def _views(
    original: PurchaseData, released: PurchaseData
) -> tuple[tuple[View, ...], tuple[tuple[Floats, Floats], ...]]:
    """The sources that compare sets of tokens, and those that compare numbers."""
    rare = item_view(original, released, rarity=True)
    views = (
        View(rare.original, rare.released, np.ones_like(rare.weights)),
        rare,
        quantity_view(original, released),
        price_view(original, released),
        day_view(original, released),
        receipt_view(original, released),
        master_view(original, released),
    )
    spend = [log1p(totals(data).astype(np.float64))[:, None] for data in (original, released)]
    return views, ((spend[0], spend[1]), scaled_rfm(original, released))


def _listed(views: tuple[View, ...], points: tuple[tuple[Floats, Floats], ...], most: int) -> Integers:
    lists = [_pairs_of(view, most) for view in views] + [_near_pairs(*pair, most) for pair in points]
    return np.unique(np.concatenate(lists))


def _pairs_of(view: View, most: int) -> Integers:
    listed = candidates(view, most)
    owner = np.repeat(np.arange(len(listed.start) - 1), np.diff(listed.start))
    return owner * max(view.original.n_rows, 1) + listed.rows


def _near_pairs(original: Floats, released: Floats, most: int) -> Integers:
    from scipy.spatial import KDTree

    found = KDTree(original).query(released, k=min(most, len(original)))[1].reshape(len(released), -1)
    return (np.arange(len(released))[:, None] * len(original) + found).ravel()


def _closeness(original: Floats, released: Floats, left: Integers, right: Integers) -> Floats:
    """g / (g + distance), g the median distance of an original to its nearest other: 1/2 at one such gap."""
    from scipy.spatial import KDTree

    gap = 0.0
    if len(original) > 1:
        gap = float(np.median(KDTree(original).query(original, k=2)[0][:, 1]))
    gap = max(gap, 1e-9)
    return gap / (gap + np.linalg.norm(released[left] - original[right], axis=1))


def pair_similarity(view: View, released: Integers, original: Integers) -> Floats:
    """Weighted Jaccard similarity of given pairs; two empty sets are alike."""
    sides = (view.released, view.original)
    return _merge(*_arrays(sides[0]), released, *_arrays(sides[1]), original, view.weights)


def _arrays(sets: TokenSets) -> tuple[Integers, Codes]:
    return sets.start, sets.tokens


@njit(cache=True)
def _merge(
    left_start: Integers,
    left_tokens: Codes,
    left: Integers,
    right_start: Integers,
    right_tokens: Codes,
    right: Integers,
    weights: Integers,
) -> Floats:
    similarity = np.empty(len(left))
    for k in range(len(left)):
        common, union = 0, 0
        a, b = left_start[left[k]], right_start[right[k]]
        a_end, b_end = left_start[left[k] + 1], right_start[right[k] + 1]
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and left_tokens[a] < right_tokens[b]):
                union += weights[left_tokens[a]]
                a += 1
            elif a == a_end or right_tokens[b] < left_tokens[a]:
                union += weights[right_tokens[b]]
                b += 1
            else:
                common += weights[left_tokens[a]]
                union += weights[left_tokens[a]]
                a += 1
                b += 1
        similarity[k] = common / union if union else 1.0
    return similarity
