"""Nearest people by numbers: totals, and recency, frequency and money."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from attacks.attack import Guess
from datasets.tables import Integers

Floats = npt.NDArray[np.float64]


def nearest_points(original: Floats, released: Floats) -> Guess:
    """Guess the nearest point, smallest row on ties; equal points form a tie class."""
    from scipy.spatial import KDTree

    places, group = np.unique(original, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    members = np.split(order, np.cumsum(np.bincount(group.ravel()))[:-1])
    first = np.array([rows[0] for rows in members])
    # Several places may be equally far: of those within reach of the search, take the smallest row.
    distance, place = KDTree(places).query(released, k=min(8, len(places)))
    distance, place = distance.reshape(len(released), -1), place.reshape(len(released), -1)
    candidates = np.where(distance == distance[:, :1], first[place], len(original))
    chosen = place[np.arange(len(released)), candidates.argmin(axis=1)]
    return Guess(first[chosen], chosen, tuple(members))


def nearest_numbers(original: Integers, released: Integers) -> Guess:
    """Guess the person with the nearest number, exactly; equally near ones form a tie class."""
    values, group = np.unique(original, return_inverse=True)
    order = np.argsort(group, kind="stable")
    begin = np.concatenate([[0], np.cumsum(np.bincount(group))])
    above = np.searchsorted(values, released).clip(0, len(values) - 1)
    below = (above - 1).clip(0)
    up, down = np.abs(values[above] - released), np.abs(released - values[below])
    low, high = np.where(down <= up, below, above), np.where(up <= down, above, below)
    pairs, tie_class = np.unique(low * len(values) + high, return_inverse=True)
    members = tuple(
        np.sort(np.unique(np.concatenate([order[begin[a] : begin[a + 1]], order[begin[b] : begin[b + 1]]])))
        for a, b in zip((pairs // len(values)).tolist(), (pairs % len(values)).tolist(), strict=True)
    )
    first = np.array([rows[0] for rows in members], dtype=np.int64)
    return Guess(first[tie_class], tie_class, members)
