"""The ROC curve of an answer with its operating points, as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from games.contract.values import Curves
from games.seek.roc import Floats, Labels, Roc, roc
from games.seek.statistics import HALF, tpr_interpolated

NAME = "roc"
ANSWER, CHANCE, RATES, AT_HALF, LOW = "answer", "chance", "rates", "half", "low"
"""The words that a picture of this kind declares."""
MOST = 150
"""Points that a curve is drawn with."""
LOW_RATE = 0.1
"""The part of low false positive rates, which a second picture enlarges, ends here."""

Line = tuple[list[float], list[float]]


def roc_pictures(scores: Floats, labels: Labels, rates: Iterable[float]) -> Iterator[Curves]:
    """The whole curve, then its beginning. Marked are the TPR at each of these FPRs and the threshold 0.5.

    Nothing where there is no member or nobody else.
    """
    points = roc(scores, labels, thinned=True)
    if points is None:
        return
    rates = sorted(set(rates))
    reached = [tpr_interpolated(scores, labels, rate) or 0.0 for rate in rates]
    half = [float((scores[labels == wanted] > HALF).mean()) for wanted in (0, 1)]
    marks = {RATES: (rates, reached), AT_HALF: ([half[0]], [half[1]])}
    diagonal = ([0.0, 1.0], [0.0, 1.0])
    yield Curves(NAME, {ANSWER: drawn(points), CHANCE: diagonal}, marks)
    end = tpr_interpolated(scores, labels, LOW_RATE) or 0.0
    few = points.fpr <= LOW_RATE
    start = Roc(np.append(points.fpr[few], LOW_RATE), np.append(points.tpr[few], end))
    low = {name: _below(*pair) for name, pair in marks.items()}
    low = {name: pair for name, pair in low.items() if pair[0]}
    yield Curves(NAME, {ANSWER: drawn(start), CHANCE: ([0.0, LOW_RATE], [0.0, LOW_RATE])}, low, LOW)


def drawn(points: Roc, most: int = MOST) -> Line:
    """A curve with its ends and at most so many points.

    >>> drawn(Roc(np.linspace(0, 1, 9), np.linspace(0, 1, 9)), most=3)
    ([0.0, 0.5, 1.0], [0.0, 0.5, 1.0])
    """
    places = np.unique(np.linspace(0, len(points.fpr) - 1, min(most, len(points.fpr))).round().astype(int))
    return points.fpr[places].tolist(), points.tpr[places].tolist()


def resampled(scores: Any, labels: Any, n: int) -> Line | None:
    """The curve at so many equal steps of the FPR: whose steps they are cannot be read from it."""
    if roc(scores, labels) is None:
        return None
    grid = np.linspace(0, 1, n).tolist()
    return grid, [tpr_interpolated(scores, labels, rate) or 0.0 for rate in grid]


def _below(x: list[float], y: list[float]) -> Line:
    pairs = [(one, other) for one, other in zip(x, y, strict=True) if one <= LOW_RATE]
    return [one for one, _ in pairs], [other for _, other in pairs]
