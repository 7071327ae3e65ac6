"""What tells members from others in a release: one number per challenge point, larger for likely members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from games.seek.distances import Rows, count_within, nearest
from games.seek.roc import Floats

TINY = 1e-6
"""Added to both distances of a ratio, so that equal rows have one."""
NEIGHBOURS = 5
"""The neighbour whose distance stands for the density around a point."""
MEAN, LARGEST = "mean", "max"


class Exhibit(NamedTuple):
    """What a house attack sees of a task. ``units`` says which challenge point each row belongs to."""

    rows: Rows
    units: npt.NDArray[Any]
    n_units: int
    released: Rows
    population: Rows


def nearness(shown: Exhibit) -> Floats:
    """Minus the distance to the nearest released row."""
    return -nearest(shown.rows, shown.released, 1)[:, 0]


def crowd(shown: Exhibit) -> Floats:
    """How many released rows are as near as half of all points have their nearest one."""
    radius = float(np.median(-nearness(shown))) if len(shown.rows.codes) else 0.0
    return count_within(shown.rows, shown.released, radius).astype(float)


def exact_matches(shown: Exhibit) -> Floats:
    """How many released rows are equal to the point."""
    return count_within(shown.rows, shown.released, 0.0).astype(float)


def gap(shown: Exhibit) -> Floats:
    """Minus the ratio of the distances to the nearest and to the second nearest released row."""
    found = nearest(shown.rows, shown.released, 2)
    return -(found[:, 0] + TINY) / (found[:, -1] + TINY)


def density_ratio(shown: Exhibit) -> Floats:
    """How much denser the release is around the point than the population (van Breugel et al. 2023, DOMIAS).

    Densities are compared by the distances to the k-th neighbour. The point itself is in the population, so
    there the neighbour after it is taken. Without a population, the density of the release alone.
    """
    released = nearest(shown.rows, shown.released, NEIGHBOURS)[:, -1] + TINY
    if len(shown.population.codes) <= NEIGHBOURS:
        return 1 / released
    return (nearest(shown.rows, shown.population, NEIGHBOURS + 1)[:, -1] + TINY) / released


SIGNALS: Mapping[str, Callable[[Exhibit], Floats]] = {
    "nearest": nearness,
    "crowd": crowd,
    "exact": exact_matches,
    "gap": gap,
    "density-ratio": density_ratio,
}


def by_unit(signal: Floats, shown: Exhibit, how: str = MEAN) -> Floats:
    """One number per challenge point from those of its rows: their mean, or the largest.

    >>> shown = Exhibit(None, np.array([0, 0, 1]), 2, None, None)
    >>> by_unit(np.array([1.0, 3.0, 5.0]), shown).tolist()
    [2.0, 5.0]
    >>> by_unit(np.array([1.0, 3.0, 5.0]), shown, LARGEST).tolist()
    [3.0, 5.0]
    """
    if how == LARGEST:
        largest = np.full(shown.n_units, -np.inf)
        np.maximum.at(largest, shown.units, signal)
        return largest
    sums = np.bincount(shown.units, weights=signal, minlength=shown.n_units)
    return sums / np.maximum(np.bincount(shown.units, minlength=shown.n_units), 1)


def ranked(values: Floats) -> Floats:
    """Ranks from 0 to 1; equal values share the mean of theirs.

    >>> ranked(np.array([5.0, 1.0, 5.0, 9.0])).tolist()
    [0.5, 0.0, 0.5, 1.0]
    """
    if len(values) < 2:
        return np.full(len(values), 0.5)
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts
    ranks: Floats = (first + (counts - 1) / 2)[places.reshape(-1)] / (len(values) - 1)
    return ranks
