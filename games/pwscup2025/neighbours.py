"""Nearest rows by the sum of absolute differences, in a fixed order: of equal distances the first row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .layout import Floats, Integers, Texts, numbers_of

Singles = npt.NDArray[np.float32]
NUMERIC_SHARE = 0.95
"""Of the cells of the population that are not empty."""
TIES = 4
"""Rows at the same distance that one search looks for."""


class Points(NamedTuple):
    """The population and a release as points with common coordinates."""

    population: Singles
    released: Singles


def points_of(population: Texts, released: Texts) -> Points:
    """Numbers scaled so that the population runs from 0 to 1; categories as 0 and 1, all levels.

    Constant number columns are left out; a missing number is the median of the population's.
    """
    left: list[Floats] = []
    right: list[Floats] = []
    for name in population:
        if name not in released:
            continue
        numbers = numbers_of(population[name])
        n_filled = sum(bool(cell.strip()) for cell in population[name])
        if n_filled and np.count_nonzero(~np.isnan(numbers)) >= NUMERIC_SHARE * n_filled:
            for part, column in zip((left, right), _scaled(numbers, numbers_of(released[name])), strict=True):
                part.extend(column)
        else:
            cells = [np.array([cell.lower() for cell in table[name]]) for table in (population, released)]
            for level in np.unique(np.concatenate(cells)):
                left.append((cells[0] == level).astype(float))
                right.append((cells[1] == level).astype(float))
    return Points(*(np.column_stack(part).astype(np.float32) for part in (left, right)))


def _scaled(population: Floats, released: Floats) -> tuple[list[Floats], list[Floats]]:
    low, span = np.nanmin(population), np.nanmax(population) - np.nanmin(population)
    if not span > 0:
        return [], []
    inner, outer = (population - low) / span, (released - low) / span
    middle = np.nanmedian(inner)
    return [np.where(np.isnan(inner), middle, inner)], [np.where(np.isnan(outer), middle, outer)]


def nearest(points: Singles, rows: Singles) -> tuple[Integers, Floats]:
    """The nearest row of each point and its distance; of rows at the same distance the first.

    >>> nearest(np.array([[0.0]], dtype="f"), np.array([[2.0], [1.0], [1.0]], dtype="f"))
    (array([1]), array([1.]))
    """
    tree = _tree(rows)
    places = np.zeros(len(points), dtype=np.int64)
    distances = np.zeros(len(points))
    left, k = np.arange(len(points)), min(TIES, len(rows))
    while len(left):
        found, where = _nearest_k(tree, points[left], k)
        equal = found == found[:, :1]
        places[left] = np.where(equal, where, len(rows)).min(axis=1)
        distances[left] = found[:, 0]
        # Where all of them are at the same distance there may be more.
        left = left[equal.all(axis=1)] if k < len(rows) else left[:0]
        k = min(2 * k, len(rows))
    return places, distances


def kth_distance(points: Singles, rows: Singles, k: int) -> Floats:
    """The distance of each point to its k-th nearest row, or to the last where there are fewer."""
    return _nearest_k(_tree(rows), points, min(k, len(rows)))[0][:, -1]


def _tree(rows: Singles) -> Any:
    from scipy.spatial import KDTree

    return KDTree(rows.astype(np.float64))


def _nearest_k(tree: Any, points: Singles, k: int) -> tuple[Floats, Integers]:
    distances, places = tree.query(points.astype(np.float64), k=list(range(1, k + 1)), p=1)
    return distances, places
