"""The statistics by which answers about membership can be scored, as one literal list.

An answer gives each challenge point a number p from 0 to 1; 1 means surely a member. All sums are exact, so
the order of the points changes no bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from games.seek.roc import Floats, Labels, roc

HALF = 0.5
"""Above it a point is called a member; exactly one half is "out"."""


def tpr_interpolated(scores: Floats, labels: Labels, fpr: float) -> float | None:
    """The TPR at this FPR, on the lines that join the points; a vertical rise counts in full.

    >>> tpr_interpolated(np.full(4, 0.7), np.array([1, 1, 0, 0]), 0.01)
    0.01
    """
    points = roc(scores, labels)
    if points is None:
        return None
    place = int(np.searchsorted(points.fpr, fpr, side="right")) - 1
    if place == len(points.fpr) - 1:
        return float(points.tpr[-1])
    left, right = points.fpr[place : place + 2]
    low, high = points.tpr[place : place + 2]
    return float(low + (high - low) * ((fpr - left) / (right - left)))


def tpr_strict(scores: Floats, labels: Labels, fpr: float) -> float | None:
    """The largest TPR among the thinned operating points whose FPR is strictly below.

    >>> tpr_strict(np.full(4, 0.7), np.array([1, 1, 0, 0]), 0.1)
    0.0
    """
    points = roc(scores, labels, thinned=True)
    return None if points is None else float(points.tpr[points.fpr < fpr].max(initial=0.0))


def tpr_at_most(scores: Floats, labels: Labels, fpr: float) -> float | None:
    """The largest TPR among all operating points whose FPR is at most this.

    >>> tpr_at_most(np.array([0.9, 0.8, 0.7, 0.1]), np.array([1, 0, 1, 0]), 0.5)
    1.0
    """
    points = roc(scores, labels)
    return None if points is None else float(points.tpr[points.fpr <= fpr].max(initial=0.0))


def weighted_advantage(scores: Floats, labels: Labels, fpr: float) -> float | None:
    """(weighted TPR − weighted FPR + 1) / 2, a point's weight being w = 2·|0.5 − p|.

    The weighted TPR is Σ w over the members called in, divided by Σ w over all members; the weighted FPR is
    the same over everybody else. A class without any weight has the rate 0.

    >>> weighted_advantage(np.array([1.0, 0.75, 0.0, 0.75]), np.array([1, 1, 0, 0]), 0.1)
    0.8333333333333334
    >>> weighted_advantage(np.full(4, 0.5), np.array([1, 1, 0, 0]), 0.1)
    0.5
    """
    rates = []
    for wanted in (1, 0):
        chosen = scores[labels == wanted]
        weights = 2 * np.abs(HALF - chosen)
        total = math.fsum(weights)
        rates.append(math.fsum(weights[chosen > HALF]) / total if total else 0.0)
    return (rates[0] - rates[1] + 1) / 2


def auc(scores: Floats, labels: Labels, fpr: float) -> float | None:
    """The chance that a member has a higher score than somebody else; equal scores count half.

    >>> auc(np.array([0.9, 0.8, 0.8, 0.1]), np.array([1, 1, 0, 0]), 0.1)
    0.875
    """
    inside, outside = scores[labels == 1], np.sort(scores[labels != 1])
    if not len(inside) or not len(outside):
        return None
    below = sum(int(np.searchsorted(outside, inside, side=side).sum()) for side in ("left", "right"))
    return below / (2 * len(inside) * len(outside))


def balanced_accuracy(scores: Floats, labels: Labels, fpr: float) -> float | None:
    """The mean of the shares of members called in and of others called out, at one half.

    >>> balanced_accuracy(np.array([0.9, 0.4, 0.1, 0.1]), np.array([1, 1, 0, 0]), 0.1)
    0.75
    """
    inside, outside = scores[labels == 1] > HALF, scores[labels != 1] > HALF
    if not len(inside) or not len(outside):
        return None
    right = int(inside.sum()) * len(outside) + int((~outside).sum()) * len(inside)
    return right / (2 * len(inside) * len(outside))


@dataclass(frozen=True)
class Statistic:
    """A way to score an answer: a TPR at a given FPR (``at_fpr``), or a number where guessing has 0.5."""

    name: str
    function: Callable[[Floats, Labels, float], float | None]
    at_fpr: bool
    is_interpolated: bool = False

    def constant(self, fpr: float) -> float:
        """The value of an answer that gives all points the same number; what is undefined counts as this."""
        if not self.at_fpr:
            return HALF
        return fpr if self.is_interpolated else 0.0

    def value(self, scores: Floats, labels: Labels, fpr: float) -> float:
        found = self.function(scores, labels, fpr)
        return self.constant(fpr) if found is None else found

    def risk(self, value: float) -> float:
        """From 0 to 1: a TPR as it is, of the others what exceeds chance."""
        return value if self.at_fpr else max(0.0, 2 * value - 1)

    def baseline(self, fpr: float) -> float:
        """The risk of blind guessing."""
        return fpr if self.at_fpr else 0.0


STATISTICS = (
    Statistic("tpr-interpolated", tpr_interpolated, at_fpr=True, is_interpolated=True),
    Statistic("tpr-strict", tpr_strict, at_fpr=True),
    Statistic("tpr-at-most", tpr_at_most, at_fpr=True),
    Statistic("weighted-advantage", weighted_advantage, at_fpr=False),
    Statistic("auc", auc, at_fpr=False),
    Statistic("balanced-accuracy", balanced_accuracy, at_fpr=False),
)
BY_NAME: Mapping[str, Statistic] = {statistic.name: statistic for statistic in STATISTICS}


def total_weight(scores: Floats) -> float:
    """How sure an answer is in all: Σ 2·|0.5 − p|."""
    return math.fsum(2 * np.abs(HALF - scores))
