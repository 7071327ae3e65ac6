"""Nodes on which a smooth function of one number is evaluated once and then read off for every row.

In the odds-ratio model an observation enters only through the number u = z·γ. So sums over N observations and
K values need not cost N · K: the K values are visited once per node, and the rows read the nodes by
eight-point interpolation. Where there are no more rows than nodes, the rows are the nodes and nothing is
interpolated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]

NODES_PER_UNIT = 5
"""Nodes for every unit by which the log-odds between the two extreme values change.

The interpolated function is the logarithm of a sum of exponentials; its derivative of order m is at most of
the size of the range of its points to the power m. With steps of a fifth of a unit, eight points err by
about 1e-4 · (1/5)^8 ≈ 1e-10, as the tests confirm.
"""
STENCIL = 8


@dataclass(frozen=True, eq=False)
class Grid:
    """Row i reads the nodes from ``first[i]`` on with ``weights[i]``; ``nearest`` is its closest node."""

    nodes: Floats
    first: npt.NDArray[np.int64]
    weights: Floats
    nearest: npt.NDArray[np.int64]

    @property
    def exact(self) -> bool:
        return self.weights.shape[1] == 1

    def read(self, at_nodes: Floats) -> Floats:
        """A function at every row from its values at the nodes."""
        return _read(self.first, self.weights, at_nodes)

    def spread(self, of_rows: Floats) -> Floats:
        """The transpose of `read`: numbers of the rows, shared out to the nodes."""
        return _spread(self.first, self.weights, of_rows, len(self.nodes))


def grid_of(rows: Floats, width: float) -> Grid:
    """Nodes for functions of ``rows`` that are sums of exponentials with exponents of the given width.

    >>> rows = np.linspace(-3, 3, 1000)
    >>> grid = grid_of(rows, width=2.0)
    >>> len(grid.nodes), bool(np.abs(grid.read(np.cosh(grid.nodes)) - np.cosh(rows)).max() < 1e-9)
    (68, True)
    """
    low, high = float(rows.min()), float(rows.max())
    units = (high - low) * width * NODES_PER_UNIT
    if not units + STENCIL < len(rows):
        nodes, index = np.unique(rows, return_inverse=True)
        return Grid(nodes, index.astype(np.int64), np.ones((len(rows), 1)), index.astype(np.int64))
    cells = int(max(np.ceil(units), 1))
    step = (high - low) / cells or 1.0
    first, weights, nearest = _lagrange(rows, low, 1 / step, cells)
    nodes = low + step * np.arange(-3, cells + 5, dtype=float)
    return Grid(nodes, first, weights, nearest)


@njit(cache=True)
def _lagrange(
    rows: np.ndarray, low: float, per_step: float, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First node, eight weights and nearest node of every row; node j is at low + step · (j − 3)."""
    first = np.empty(len(rows), dtype=np.int64)
    nearest = np.empty(len(rows), dtype=np.int64)
    weights = np.empty((len(rows), 8))
    scale = np.array([-5040.0, 720.0, -240.0, 144.0, -144.0, 240.0, -720.0, 5040.0])
    left = np.empty(9)
    for i in range(len(rows)):
        place = (rows[i] - low) * per_step
        cell = min(max(int(np.floor(place)), 0), cells - 1)
        at = place - cell + 3.0
        first[i] = cell
        nearest[i] = cell + int(np.rint(at))
        left[0] = 1.0
        for j in range(8):
            left[j + 1] = left[j] * (at - j)
        right = 1.0
        for j in range(7, -1, -1):
            weights[i, j] = left[j] * right / scale[j]
            right *= at - j
    return first, weights, nearest


@njit(cache=True)
def _read(first: np.ndarray, weights: np.ndarray, at_nodes: np.ndarray) -> np.ndarray:
    result = np.empty(len(first))
    for i in range(len(first)):
        total = 0.0
        for j in range(weights.shape[1]):
            total += weights[i, j] * at_nodes[first[i] + j]
        result[i] = total
    return result


@njit(cache=True)
def _spread(first: np.ndarray, weights: np.ndarray, of_rows: np.ndarray, n_nodes: int) -> np.ndarray:
    result = np.zeros(n_nodes)
    for i in range(len(first)):
        for j in range(weights.shape[1]):
            result[first[i] + j] += weights[i, j] * of_rows[i]
    return result
