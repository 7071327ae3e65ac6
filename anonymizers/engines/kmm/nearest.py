"""The nearest deficient and safe rows of every deficient row, by a k-d tree: no matrix of all distances."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from anonymizers.engines.kmm.problem import Floats, Problem
from datasets.tables import Integers

MANY_ROWS = 200_000
"""Beyond this many deficient rows the lists are shorter and approximate, to bound time and memory."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Lists of near rows, ascending by distance; position i belongs to the deficient row ``rows[i]``.

    ``close`` holds deficient rows, the row itself first; ``safe`` holds safe rows. ``floor[i]`` is a lower
    bound on the distance to any safe row. ``index`` gives the position of a row, −1 for safe rows.
    """

    rows: Integers
    index: Integers
    close: Integers
    close_cost: Floats
    safe: Integers
    safe_cost: Floats
    floor: Floats
    loose: float
    """Listed distances are at most 1 + loose times the true ones."""

    @property
    def n_safe(self) -> int:
        return self.safe.shape[1]


def neighbours(problem: Problem, n_close: int, n_safe: int) -> Neighbours:
    """Find the lists for all deficient rows of a problem."""
    kept = problem.safe_rows()
    rows, others = np.flatnonzero(~kept), np.flatnonzero(kept)
    loose = 0.5 if len(rows) > MANY_ROWS else 0.0
    if loose:
        n_close, n_safe = min(n_close, 16), min(n_safe, 4)
    index = np.full(problem.n_rows, -1, dtype=np.int64)
    index[rows] = np.arange(len(rows))
    close, close_cost = _nearest(problem.points, rows, rows, n_close, loose)
    _self_first(close, close_cost, rows)
    safe, safe_cost = _nearest(problem.points, rows, others, n_safe, loose)
    floor = safe_cost[:, 0] / (1 + loose) if len(others) else np.full(len(rows), np.inf)
    return Neighbours(rows, index, close, close_cost, safe, safe_cost, floor, loose)


def narrowed(near: Neighbours, n_close: int) -> Neighbours:
    """The same with shorter lists of deficient rows."""
    close, cost = near.close[:, :n_close], near.close_cost[:, :n_close]
    return replace(near, close=np.ascontiguousarray(close), close_cost=np.ascontiguousarray(cost))


def _nearest(
    points: Floats, of: Integers, among: Integers, count: int, loose: float
) -> tuple[Integers, Floats]:
    from scipy.spatial import cKDTree

    count = min(count, len(among))
    if count == 0 or len(of) == 0:
        return np.zeros((len(of), count), dtype=np.int64), np.zeros((len(of), count))
    tree = cKDTree(points[among], balanced_tree=False, compact_nodes=False)
    cost, place = tree.query(points[of], k=np.arange(1, count + 1), eps=loose)
    return np.ascontiguousarray(among[place]), np.ascontiguousarray(cost)


def _self_first(close: Integers, cost: Floats, rows: Integers) -> None:
    """Put every row first in its own list; an approximate search may have lost it."""
    if close.shape[1] == 0:
        return
    where: npt.NDArray[np.int64] = np.where(
        (close == rows[:, None]).any(axis=1), (close == rows[:, None]).argmax(axis=1), close.shape[1] - 1
    )
    every = np.arange(len(rows))
    close[every, where], cost[every, where] = close[:, 0], cost[:, 0]
    close[:, 0], cost[:, 0] = rows, 0.0
