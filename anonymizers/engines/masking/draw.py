"""Draws from a fitted odds-ratio model and the expected distance they go, without a rows × values table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from anonymizers.engines.masking.grid import Floats, grid_of
from anonymizers.engines.masking.likelihood import node_blocks
from anonymizers.engines.masking.odds_ratio import OddsRatio
from arithmetic import product
from arithmetic.elementary import exp_of, log_of

Codes = npt.NDArray[np.int64]


def draw_codes(model: OddsRatio, terms: Floats, rng: np.random.Generator) -> Codes:
    """For every row the k of a value drawn from P(x_k | z), (7).

    Exact: a row draws from the distribution at its nearest node and keeps the draw with the probability that
    corrects for the way from the node to the row (rejection, about one in twenty is drawn again).

    >>> model = OddsRatio(np.array([0.0, 1.0]), np.array([-800.0, 0.0]), 0.0, np.array([0.0]), 0.0, 0, 0.0, 1)
    >>> draw_codes(model, np.zeros((3, 1)), np.random.default_rng(1)).tolist()
    [1, 1, 1]
    """
    points = model.points - model.centre
    rows = product(terms, model.gamma)
    grid = grid_of(rows, float(np.ptp(points)))
    order = np.argsort(grid.nearest.astype(np.min_scalar_type(len(grid.nodes))), kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(grid.nearest, minlength=len(grid.nodes)))])
    codes = np.empty(len(rows), dtype=np.int64)
    _draw_by_node(points, model.weights, grid.nodes, rows, order, start, rng, codes)
    return codes


@njit(cache=True)
def _draw_by_node(
    points: np.ndarray,
    weights: np.ndarray,
    nodes: np.ndarray,
    rows: np.ndarray,
    order: np.ndarray,
    start: np.ndarray,
    rng: np.random.Generator,
    codes: np.ndarray,
) -> None:
    middle = (points[0] + points[-1]) / 2
    half = (points[-1] - points[0]) / 2
    heights = np.empty(len(points))
    for node in range(len(nodes)):
        if start[node] == start[node + 1]:
            continue
        top = -np.inf
        for k in range(len(points)):
            heights[k] = weights[k] + points[k] * nodes[node]
            top = max(top, heights[k])
        total = 0.0
        for k in range(len(points)):
            total += exp_of(heights[k] - top)
            heights[k] = total
        for place in range(start[node], start[node + 1]):
            row = order[place]
            away = rows[row] - nodes[node]
            while True:
                k = int(np.searchsorted(heights, rng.random() * total, side="right"))
                k = k if k < len(points) else len(points) - 1
                if away == 0.0 or log_of(rng.random()) <= (points[k] - middle) * away - half * abs(away):
                    break
            codes[row] = k


def expected_distance(
    model: OddsRatio, terms: Floats, cells: Codes, originals: Floats, order: Codes
) -> float:
    """EMPD, (8): the mean over rows of E|Y − x|, Y drawn from (7); 0 or more, larger is safer.

    ``cells[i]`` is the k of row i. Where values were rounded, a cell holds several originals and Y is any of
    them with equal chance; the expectation runs over that choice too. ``order`` sorts the originals.

    >>> model = OddsRatio(np.array([0.0, 1.0]), np.zeros(2), 0.5, np.array([0.0]), 0.0, 0, 0.0, 1)
    >>> expected_distance(model, np.zeros((2, 1)), np.arange(2), np.array([0.0, 1.0]), np.arange(2))
    0.5
    """
    points = model.points - model.centre
    grid = grid_of(product(terms, model.gamma), float(np.ptp(points)))
    means = np.bincount(cells, weights=originals, minlength=len(points)) / np.bincount(
        cells, minlength=len(points)
    )
    within = _distance_within(cells, originals, order)
    total = 0.0
    for part, shares, _ in node_blocks(points, model.weights, grid.nodes):
        below = np.cumsum(shares, axis=1)
        below_sum = np.cumsum(shares * means, axis=1)
        total += _distance_at(
            grid.first, grid.weights, part.start, cells, originals, within, means, shares, below, below_sum
        )
    return total / len(originals)


@njit(cache=True)
def _distance_at(
    first: np.ndarray,
    weights: np.ndarray,
    start: int,
    cells: np.ndarray,
    originals: np.ndarray,
    within: np.ndarray,
    means: np.ndarray,
    shares: np.ndarray,
    below: np.ndarray,
    below_sum: np.ndarray,
) -> float:
    """What a block of nodes adds to the sum over rows of E|Y − x|.

    Cells below that of x hold smaller values and cells above larger ones, so sums of P and P · mean suffice.
    """
    total = 0.0
    for i in range(len(first)):
        k, x = cells[i], originals[i]
        for j in range(weights.shape[1]):
            node = first[i] + j - start
            if 0 <= node < len(shares):
                p = shares[node, k]
                low, low_sum = below[node, k] - p, below_sum[node, k] - p * means[k]
                high, high_sum = below[node, -1] - below[node, k], below_sum[node, -1] - below_sum[node, k]
                total += weights[i, j] * (x * (low - high) - low_sum + high_sum + p * within[i])
    return total


def _distance_within(cells: Codes, originals: Floats, order: Codes) -> Floats:
    """For every row, the mean distance from its value to the values of its cell.

    >>> _distance_within(np.array([0, 0, 1]), np.array([1.0, 3.0, 9.0]), np.arange(3)).tolist()
    [1.0, 1.0, 0.0]
    """
    # Cells are rounded values, so the order of the originals is an order of the cells.
    cell, value = cells[order], originals[order]
    counts = np.bincount(cells)
    start, count = (np.cumsum(counts) - counts)[cell], counts[cell]
    running = np.concatenate([[0.0], np.cumsum(value)])
    place = np.arange(len(value))
    below = value * (place - start) - (running[place] - running[start])
    above = running[start + count] - running[place] - value * (start + count - place)
    result = np.empty(len(value))
    result[order] = (below + above) / count
    return result
