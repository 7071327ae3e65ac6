"""House attacks on the rows of a table: which released row is whose, and how sure one can be of it.

All compare rows by Gower's distance (`games.seek.distances`). Of equal distances the first row counts, so
results are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns
from games.seek.distances import CELLS, Rows, comparable, gower
from games.seek.roc import Floats
from games.seek.signals import Exhibit, density_ratio

NOBODY = -1
"""Where no row can be named."""
FINE = 2.0**30
"""Distances are counted in so many parts of 1 where sums of them are compared: whole numbers add exactly."""
Ints = npt.NDArray[np.int64]


class Nearest(NamedTuple):
    """For each point the place of its nearest row, `NOBODY` where there is none, and the distance."""

    row: Ints
    distance: Floats


def rows_of(tables: Sequence[Columns], names: Sequence[str], categories: Collection[str]) -> list[Rows]:
    """The same columns of several tables, made comparable: one scale per number, one code per text."""
    return comparable(tables, names, categories)


def nearest_record(points: Rows, released: Rows) -> Nearest:
    """The nearest released row of each point, the first of equals.

    >>> tables = [{"a": np.array([1.0, 9.0])}, {"a": np.array([8.0, 2.0, 0.0])}]
    >>> found = nearest_record(*rows_of(tables, ["a"], ()))
    >>> found.row.tolist(), found.distance.round(3).tolist()
    ([1, 0], [0.111, 0.111])
    """
    if not len(released.codes):
        return Nearest(np.full(len(points.codes), NOBODY), np.full(len(points.codes), np.inf))
    rows, distances = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for part in _parts(len(points.codes), len(released.codes)):
        block = gower(_take(points, part), released)
        best = block.argmin(axis=1)
        rows.append(best)
        distances.append(block[np.arange(len(best)), best])
    return Nearest(np.concatenate(rows), np.concatenate(distances))


def nearest_in_blocks(
    points: Rows, released: Rows, block_of_point: npt.NDArray[Any], block_of_row: npt.NDArray[Any]
) -> Nearest:
    """As `nearest_record`, but only rows of the point's own block are looked at: what is known for sure.

    >>> tables = [{"a": np.array([1.0, 9.0])}, {"a": np.array([8.0, 2.0, 0.0])}]
    >>> points, released = rows_of(tables, ["a"], ())
    >>> nearest_in_blocks(points, released, np.array(["f", "x"]), np.array(["f", "m", "f"])).row.tolist()
    [2, -1]
    """
    rows = np.full(len(points.codes), NOBODY)
    distances = np.full(len(points.codes), np.inf)
    for block in np.unique(block_of_point):
        wanted, there = np.flatnonzero(block_of_point == block), np.flatnonzero(block_of_row == block)
        found = nearest_record(_take(points, wanted), _take(released, there))
        rows[wanted] = there[found.row] if len(there) else NOBODY
        distances[wanted] = found.distance
    return Nearest(rows, distances)


def same_neighbour(left: tuple[Rows, Rows], right: tuple[Rows, Rows], k: int = 1) -> npt.NDArray[np.bool_]:
    """Which points have a released row among the k nearest by the left columns and by the right ones.

    Somebody who knows two parts of a person's record, without knowing that they belong together, links them
    where the release does (linkability, Giomi et al. 2023). Each side holds the points and the released rows.

    >>> points, released = {"a": np.array([0.0, 4.0]), "b": np.array([0.0, 4.0])}, {
    ...     "a": np.array([0.0, 4.0]), "b": np.array([1.0, 0.0])}
    >>> sides = [tuple(rows_of([points, released], [name], ())) for name in ("a", "b")]
    >>> same_neighbour(*sides).tolist()  # the second row is near 4 in a, the first one in b
    [False, False]
    """
    found = [_k_nearest(points, released, k) for points, released in (left, right)]
    return (found[0][:, :, None] == found[1][:, None, :]).any(axis=(1, 2))


def _k_nearest(points: Rows, released: Rows, k: int) -> Ints:
    parts = [np.zeros((0, min(k, len(released.codes))), dtype=np.int64)]
    for part in _parts(len(points.codes), len(released.codes)):
        parts.append(np.argsort(gower(_take(points, part), released), axis=1, kind="stable")[:, :k])
    return np.concatenate(parts)


class Controlled(NamedTuple):
    """How often an attack is right about people of the release, about others, and what the release adds."""

    rate: float
    control: float
    risk: float
    interval: tuple[float, float]


def controlled(hits: int, n: int, control_hits: int, n_control: int) -> Controlled:
    """The risk beyond what is true of everybody: (r − c) / (1 − c), never below 0 (Giomi et al. 2023).

    r and c are the shares of right guesses about people of the release and of the control, each estimated as
    the middle of its 95 % Wilson interval. The interval of the risk adds the errors of both as if they were
    independent: half its width is √((∂r)² + (∂c)²) with ∂r = δr / (1 − c) and ∂c = δc (1 − r) / (1 − c)².

    >>> found = controlled(50, 100, 10, 100)
    >>> round(found.rate, 4), round(found.control, 4), round(found.risk, 4)
    (0.5, 0.1148, 0.4352)
    """
    (rate, error), (base, base_error) = wilson(hits, n), wilson(control_hits, n_control)
    risk = (rate - base) / (1 - base)
    across = error / (1 - base), base_error * (1 - rate) / (1 - base) ** 2
    half = math.sqrt(across[0] ** 2 + across[1] ** 2)
    bounds = min(1.0, max(0.0, risk - half)), max(0.0, min(1.0, risk + half))
    return Controlled(rate, base, max(0.0, risk), bounds)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The middle of the 95 % Wilson interval of a share, and half its width.

    >>> tuple(round(number, 4) for number in wilson(10, 100))
    (0.1148, 0.0596)
    """
    z = 1.959963984540054
    if not n:
        return 0.5, 0.5
    whole = n + z * z
    half = z / whole * math.sqrt(hits * (n - hits) / n + z * z / 4)
    return (hits + z * z / 2) / whole, half


def assigned(points: Rows, released: Rows) -> Ints:
    """Everybody to another row, so that the sum of all distances is least; `NOBODY` where rows are fewer.

    Two people never share a row, so one who is far from all rows but one gets that one. Distances are counted
    in whole parts, so that no sum of them is rounded. Memory grows with points × rows.

    >>> tables = [{"a": np.array([5.0, 4.0])}, {"a": np.array([4.9, 9.0])}]
    >>> points, released = rows_of(tables, ["a"], ())
    >>> nearest_record(points, released).row.tolist(), assigned(points, released).tolist()
    ([0, 0], [1, 0])
    """
    distances = np.zeros((len(points.codes), len(released.codes)))
    for part in _parts(*distances.shape):
        distances[part] = np.rint(gower(_take(points, part), released) * FINE)
    return one_to_one(distances)


def linked(points: Rows, released: Rows) -> Nearest:
    """As `nearest_record`, but no two points have the same row, and the sum of all distances is least.

    >>> tables = [{"a": np.array([5.0, 4.0])}, {"a": np.array([4.0, 9.0])}]
    >>> found = linked(*rows_of(tables, ["a"], ()))
    >>> found.row.tolist(), found.distance.round(1).tolist()
    ([1, 0], [0.8, 0.0])
    """
    rows = assigned(points, released)
    there = np.flatnonzero(rows != NOBODY)
    mine, theirs = _take(points, there), _take(released, rows[there])
    apart = np.zeros(len(there))
    # Column by column, as `gower` adds them.
    for left, right in zip(mine.numbers.T, theirs.numbers.T, strict=True):
        apart += np.abs(left - right)
    for one, other in zip(mine.codes.T, theirs.codes.T, strict=True):
        apart += one != other
    distances = np.full(len(rows), np.inf)
    distances[there] = apart / (mine.numbers.shape[1] + mine.codes.shape[1])
    return Nearest(rows, distances)


def one_to_one(distances: npt.NDArray[Any]) -> Ints:
    """For each row of a table of whole distances a column of its own, so that their sum is least.

    >>> one_to_one(np.array([[1, 9], [0, 5], [2, 2]])).tolist()
    [-1, 0, 1]
    """
    from scipy.optimize import linear_sum_assignment

    rows = np.full(len(distances), NOBODY)
    chosen, of = linear_sum_assignment(distances)
    rows[chosen] = of
    return rows


def densities(points: Rows, released: Rows, population: Rows) -> Floats:
    """How much denser the release is around each point than the population: large for those who are in.

    >>> tables = [{"a": np.array([0.0, 9.0])}, {"a": np.arange(6.0) / 10}, {"a": np.arange(10.0)}]
    >>> found = densities(*rows_of(tables, ["a"], ()))
    >>> bool(found[0] > 1 > found[1])
    True
    """
    n_points = len(points.codes)
    return density_ratio(Exhibit(points, np.arange(n_points), n_points, released, population))


def _take(rows: Rows, chosen: Ints | slice) -> Rows:
    return Rows(rows.numbers[chosen], rows.codes[chosen])


def _parts(n_points: int, n_rows: int) -> Iterator[slice]:
    """The points in so many parts that the distances of each fit into memory."""
    step = max(1, CELLS // max(1, n_rows))
    for start in range(0, n_points, step):
        yield slice(start, start + step)
