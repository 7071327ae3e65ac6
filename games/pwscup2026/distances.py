"""Empirical distributions, distances between rows, and the Mahalanobis distance."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic import product, pseudo_inverse

from .layout import Floats

CELLS = 4_000_000
"""Distances that are held in memory at once."""


def ks(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    """The two-sample Kolmogorov–Smirnov distance: the largest difference of the empirical distributions.

    >>> ks(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.5
    """
    return float(np.abs(_steps(left, right)).max())


def ks_above(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    """One-sided: how far the distribution function of the left is above that of the right.

    >>> ks_above(np.array([1.0, 2.0]), np.array([2.0, 3.0])), ks_above(np.array([3.0]), np.array([1.0]))
    (0.5, 0.0)
    """
    return max(0.0, float(_steps(left, right).max()))


def _steps(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Floats:
    places = np.concatenate([left, right])
    shares = [np.searchsorted(np.sort(one), places, side="right") / len(one) for one in (left, right)]
    return shares[0] - shares[1]


def total_variation(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
    """Half the sum of the differences of the shares of every value.

    >>> total_variation(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2]))
    0.25
    """
    values, codes = np.unique(np.concatenate([left, right]), return_inverse=True)
    codes = codes.reshape(-1)
    first = np.bincount(codes[: len(left)], minlength=len(values)) / len(left)
    second = np.bincount(codes[len(left) :], minlength=len(values)) / len(right)
    return 0.5 * float(np.abs(first - second).sum())


def mahalanobis(rows: Floats, mean: Floats, covariance: Floats) -> Floats:
    """√((x − μ)ᵀ Σ⁺ (x − μ)) of every row, Σ⁺ the pseudo-inverse."""
    centred = rows - mean
    squares = (product(centred, pseudo_inverse(covariance)) * centred).sum(axis=1)
    return np.sqrt(np.maximum(squares, 0.0))


def squared_distances(points: Floats, rows: Floats) -> Floats:
    """Squared Euclidean distances, one row per point: column by column, so every processor adds alike."""
    found = np.zeros((len(points), len(rows)))
    for column in range(points.shape[1]):
        difference = points[:, column, None] - rows[None, :, column]
        found += difference * difference
    return found


def nearest(points: Floats, rows: Floats) -> Floats:
    """The Euclidean distance of each point to its nearest row."""
    step = max(1, CELLS // max(1, len(rows)))
    blocks = [
        np.sqrt(squared_distances(points[start : start + step], rows).min(axis=1))
        for start in range(0, len(points), step)
    ]
    return np.concatenate(blocks)


def percentile(values: npt.NDArray[Any], percent: float) -> float:
    """Linear between order statistics.

    >>> percentile(np.array([4.0, 1.0, 2.0]), 75)
    3.0
    """
    return float(np.percentile(values, percent))
