"""Nodes on which a smooth function of one number is evaluated once and then read off for every row.

In the odds-ratio model an observation enters only through the number u = z·γ. So sums over N observations and
K values need not cost N · K: the K values are visited once a node, and the rows read the nodes by eight-point
interpolation. Where there are no more rows than nodes, the rows are the nodes and nothing is interpolated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

Floats = npt.NDArray[np.float64]

NODES_PER_UNIT = 8
"""Nodes for every unit by which the log-odds between the two extreme values change.

The interpolated function is the logarithm of a sum of exponentials whose derivative of order m is at most of
the size of the range of its points to the power m. With steps of an eighth of a unit the error of eight points
is about 1e-3 · (1/8)^8 ≈ 1e-10.
"""
STENCIL = 8


@dataclass(frozen=True, eq=False)
class Grid:
    """``weights @ f(nodes)`` is f at every row; ``nearest`` is the closest node of every row."""

    nodes: Floats
    weights: sparse.csr_matrix
    nearest: npt.NDArray[np.int64]

    @property
    def exact(self) -> bool:
        return self.weights.nnz == self.weights.shape[0]


def grid_of(rows: Floats, width: float) -> Grid:
    """Nodes for functions of ``rows`` that are sums of exponentials with exponents of the given width.

    >>> rows = np.linspace(-3, 3, 1000)
    >>> grid = grid_of(rows, width=2.0)
    >>> len(grid.nodes), bool(np.allclose(grid.weights @ np.cosh(grid.nodes), np.cosh(rows), rtol=0, atol=1e-8))
    (104, True)
    """
    low, high = float(rows.min()), float(rows.max())
    units = (high - low) * width * NODES_PER_UNIT
    if not units + STENCIL < len(rows):
        return _rows_as_nodes(rows)
    step = (high - low) / max(np.ceil(units), 1) or 1.0
    cells = int(max(np.ceil(units), 1))
    nodes = low + step * np.arange(-3, cells + 5)
    first, weights, nearest = _lagrange(rows, low, 1 / step, cells)
    index = (first[:, None] + np.arange(STENCIL, dtype=np.int32)).ravel()
    start = np.arange(0, STENCIL * len(rows) + 1, STENCIL, dtype=np.int32)
    operator = sparse.csr_matrix((weights.ravel(), index, start), shape=(len(rows), len(nodes)))
    return Grid(nodes, operator, nearest)


def _rows_as_nodes(rows: Floats) -> Grid:
    """Equal rows share a node, so that a table of few combinations stays cheap."""
    nodes, index = np.unique(rows, return_inverse=True)
    operator = sparse.csr_matrix(
        (np.ones(len(rows)), index, np.arange(len(rows) + 1)), shape=(len(rows), len(nodes))
    )
    return Grid(nodes, operator, index.astype(np.int64))


@njit(cache=True)
def _lagrange(
    rows: np.ndarray, low: float, per_step: float, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First node, eight weights and nearest node of every row; nodes stand at low + step · (j − 3)."""
    first = np.empty(len(rows), dtype=np.int32)
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
