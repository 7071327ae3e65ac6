"""The log-likelihood of the odds-ratio model with its first and second derivatives.

Qian and Xie, "Drive More Effective Data-Based Innovations", (6): with the distinct values x_1 … x_K of the
confidential column, n_k rows holding x_k, and u_i = z_i·γ for the terms z_i of row i,

    L(λ, γ) = Σ_k n_k λ_k + Σ_i (x_i − x_0) u_i − Σ_i A(u_i),   A(u) = ln Σ_k exp(λ_k + (x_k − x_0) u).

Row i enters only through u_i, so the K values are visited once per node of a grid over u, not once per row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from numba import njit

from anonymizers.engines.masking.grid import Floats, Grid, grid_of
from arithmetic import gram, product
from arithmetic.elementary import exp_of, log_of
from arithmetic.products import dot_of

BLOCK = 1 << 18
"""Cells of a node × value block; no larger table is ever made."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The data of one confidential column, equal rows of terms stored once.

    ``points`` are x_k − x_0 and ``counts`` the n_k; row r of ``terms`` represents ``rows[r]`` observations
    whose x − x_0 add up to ``sums[r]``.
    """

    points: Floats
    counts: Floats
    terms: Floats
    rows: Floats
    sums: Floats

    @classmethod
    def of(
        cls, points: Floats, codes: npt.NDArray[np.int64], terms: Floats, shares: Floats | None = None
    ) -> Likelihood:
        """``codes[i]`` is the k of observation i, ``terms[i]`` its terms, ``shares[i]`` its weight."""
        each = np.ones(len(codes)) if shares is None else shares
        first, group = equal_rows(terms)
        return cls(
            points=points,
            counts=_totals(codes, each, len(points)),
            terms=np.ascontiguousarray(terms[first]),
            rows=_totals(group, each, len(first)),
            sums=_totals(group, each * points[codes], len(first)),
        )

    def grid(self, gamma: Floats) -> Grid:
        return grid_of(product(self.terms, gamma), float(np.ptp(self.points)))

    def value_and_gradient(self, weights: Floats, gamma: Floats) -> tuple[float, Floats, Floats]:
        """L, ∂L/∂λ and ∂L/∂γ at λ = ``weights`` and γ = ``gamma``.

        >>> data = Likelihood.of(np.array([-0.5, 0.5]), np.array([0, 1]), np.array([[-1.0], [1.0]]))
        >>> value, by_weight, by_gamma = data.value_and_gradient(np.zeros(2), np.zeros(1))
        >>> bool(np.isclose(value, 2 * np.log(0.5))), by_weight.tolist(), by_gamma.tolist()
        (True, [0.0, 0.0], [1.0])
        """
        grid = self.grid(gamma)
        rows_at = grid.spread(self.rows)
        logsum, mean = np.empty(len(grid.nodes)), np.empty(len(grid.nodes))
        expected = np.zeros(len(self.points))
        for part, shares, logs in node_blocks(self.points, weights, grid.nodes):
            logsum[part], mean[part] = logs, product(shares, self.points)
            expected += product(rows_at[part], shares)
        value = product(self.counts, weights) + product(self.sums, product(self.terms, gamma))
        value -= product(rows_at, logsum)
        by_gamma = product(self.terms.T, self.sums - self.rows * grid.read(mean))
        return float(value), self.counts - expected, by_gamma

    def information(self, weights: Floats, gamma: Floats) -> Floats:
        """The negative second derivatives of L, the λ first and then the γ: a (K + q) square."""
        grid, n_points = self.grid(gamma), len(self.points)
        n = n_points + self.terms.shape[1]
        rows_at = grid.spread(self.rows)
        terms_at = np.zeros((len(grid.nodes), self.terms.shape[1]))
        for column in range(self.terms.shape[1]):
            terms_at[:, column] = grid.spread(self.rows * self.terms[:, column])
        full, expected, variance = np.zeros((n, n)), np.zeros(n_points), np.empty(len(grid.nodes))
        for part, shares, _ in node_blocks(self.points, weights, grid.nodes):
            mean = product(shares, self.points)
            variance[part] = product(shares, self.points**2) - mean**2
            expected += product(rows_at[part], shares)
            full[:n_points, :n_points] -= gram(shares, rows_at[part])
            cross = product(shares.T, terms_at[part]) * self.points[:, None]
            full[:n_points, n_points:] += cross - product(shares.T, terms_at[part] * mean[:, None])
        full[np.arange(n_points), np.arange(n_points)] += expected
        full[n_points:, :n_points] = full[:n_points, n_points:].T
        spread = self.rows * grid.read(variance)
        full[n_points:, n_points:] = gram(self.terms, spread)
        return full


def _totals(groups: npt.NDArray[np.int64], values: Floats, n_groups: int) -> Floats:
    return np.asarray(np.bincount(groups, weights=values, minlength=n_groups), dtype=float)


def equal_rows(terms: Floats) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """One row of every kind and the kind of every row; every row has its own kind where few are equal.

    >>> [part.tolist() for part in equal_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [1.0, 2.0]]))]
    [[0, 1], [0, 1, 0, 0]]
    """
    n, q = terms.shape
    # One number per row finds equal rows by hashing; the comparison below makes sure of it.
    keys = product(terms, np.sqrt(np.arange(2.0, q + 2.0))) if q else np.zeros(n)
    group, kinds = pd.factorize(keys)
    first = np.empty(len(kinds), dtype=np.int64)
    first[group[::-1]] = np.arange(n)[::-1]
    if len(kinds) > n / 2 or not np.array_equal(terms[first][group], terms):
        return np.arange(n), np.arange(n)
    return first, group.astype(np.int64)


def node_blocks(points: Floats, weights: Floats, nodes: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Slices of the nodes u with the probabilities P(x_k | u), (7), and A(u) of each."""
    size = max(1, BLOCK // len(points))
    for start in range(0, len(nodes), size):
        part = slice(start, min(start + size, len(nodes)))
        yield part, *_shares(points, weights, nodes[part])


@njit(cache=True)
def _shares(points: Floats, weights: Floats, nodes: Floats) -> tuple[Floats, Floats]:
    """P(x_k | u) and A(u) of some nodes."""
    shares, logs = np.empty((len(nodes), len(points))), np.empty(len(nodes))
    ones = np.ones(len(points))
    for i in range(len(nodes)):
        row = shares[i]
        top = -np.inf
        for k in range(len(points)):
            row[k] = nodes[i] * points[k] + weights[k]
            top = max(top, row[k])
        for k in range(len(points)):
            row[k] = exp_of(row[k] - top)
        total = dot_of(row, ones)
        for k in range(len(points)):
            row[k] /= total
        logs[i] = top + log_of(total)
    return shares, logs
