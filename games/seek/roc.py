"""The operating points of an answer: how many members and others it calls in at each of its confidences."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[Any]
"""1 for a member, 0 for anybody else."""


class Roc(NamedTuple):
    """Points from (0, 0) to (1, 1). Equal scores are one point."""

    fpr: Floats
    tpr: Floats


def roc(scores: Floats, labels: Labels, thinned: bool = False) -> Roc | None:
    """The operating points, or None where there is no member or nobody else.

    ``thinned`` drops every point whose two steps, to it and from it, are the same, as scikit-learn's
    ``roc_curve`` does unless it is told otherwise.

    >>> found = roc(np.array([0.9, 0.8, 0.8, 0.1]), np.array([1, 1, 0, 0]))
    >>> found.fpr.tolist(), found.tpr.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    inside = np.cumsum(labels[order] == 1)[ends] if len(order) else np.zeros(0, dtype=np.int64)
    outside = ends[: len(inside)] + 1 - inside
    if not len(inside) or not inside[-1] or not outside[-1]:
        return None
    if thinned:
        bends = (np.diff(inside, 2) != 0) | (np.diff(outside, 2) != 0)
        kept = np.concatenate([[True], bends, [True]]) if len(inside) > 2 else np.full(len(inside), True)
        inside, outside = inside[kept], outside[kept]
    return Roc(_rates(outside), _rates(inside))


def _rates(counts: npt.NDArray[Any]) -> Floats:
    rates: Floats = np.concatenate([[0], counts]) / counts[-1]
    return rates
