"""The log-likelihood of the odds-ratio model with its first and second derivatives.

Qian and Xie, "Drive More Effective Data-Based Innovations", (6): with the distinct values x_1 … x_K of the
confidential column, n_k rows holding x_k, and u_i = z_i·γ for the terms z_i of row i,

    L(λ, γ) = Σ_k n_k λ_k + Σ_i (x_i − x_0) u_i − Σ_i A(u_i),   A(u) = ln Σ_k exp(λ_k + (x_k − x_0) u).

Row i enters only through u_i, so the K values are visited once a node of a grid over u, not once a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anonymizers.masking.grid import Floats, Grid, grid_of

BLOCK = 1 << 18
"""Cells of a node × value block; no larger table is ever made."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The data of one confidential column: ``points`` are x_k − x_0, ``codes[i]`` is the k of row i."""

    points: Floats
    codes: npt.NDArray[np.int64]
    terms: Floats

    @property
    def counts(self) -> Floats:
        return np.bincount(self.codes, minlength=len(self.points)).astype(float)

    def grid(self, gamma: Floats) -> Grid:
        return grid_of(self.terms @ gamma, float(np.ptp(self.points)))

    def value_and_gradient(self, weights: Floats, gamma: Floats) -> tuple[float, Floats, Floats]:
        """L, ∂L/∂λ and ∂L/∂γ at λ = ``weights`` and γ = ``gamma``.

        >>> data = Likelihood(np.array([-0.5, 0.5]), np.array([0, 1]), np.array([[-1.0], [1.0]]))
        >>> value, by_weight, by_gamma = data.value_and_gradient(np.zeros(2), np.zeros(1))
        >>> bool(np.isclose(value, 2 * np.log(0.5))), by_weight.tolist(), by_gamma.tolist()
        (True, [0.0, 0.0], [1.0])
        """
        grid = self.grid(gamma)
        rows_at = grid.weights.T @ np.ones(len(self.codes))
        logsum, mean = np.empty(len(grid.nodes)), np.empty(len(grid.nodes))
        expected = np.zeros(len(self.points))
        for part, shares, logs in node_blocks(self.points, weights, grid.nodes):
            logsum[part], mean[part] = logs, shares @ self.points
            expected += rows_at[part] @ shares
        counts = self.counts
        observed = self.points[self.codes]
        value = counts @ weights + observed @ (self.terms @ gamma) - rows_at @ logsum
        return float(value), counts - expected, self.terms.T @ (observed - grid.weights @ mean)

    def information(self, weights: Floats, gamma: Floats) -> Floats:
        """The negative second derivatives of L, the λ first and then the γ: a (K + q) square."""
        grid, n_points = self.grid(gamma), len(self.points)
        n = n_points + self.terms.shape[1]
        rows_at = grid.weights.T @ np.ones(len(self.codes))
        terms_at = grid.weights.T @ self.terms
        full, expected, variance = np.zeros((n, n)), np.zeros(n_points), np.empty(len(grid.nodes))
        for part, shares, _ in node_blocks(self.points, weights, grid.nodes):
            mean = shares @ self.points
            variance[part] = shares @ self.points**2 - mean**2
            expected += rows_at[part] @ shares
            full[:n_points, :n_points] -= (shares * rows_at[part][:, None]).T @ shares
            cross = shares.T @ terms_at[part] * self.points[:, None]
            full[:n_points, n_points:] += cross - shares.T @ (terms_at[part] * mean[:, None])
        full[np.arange(n_points), np.arange(n_points)] += expected
        full[n_points:, :n_points] = full[:n_points, n_points:].T
        spread = grid.weights @ variance
        full[n_points:, n_points:] = (self.terms * spread[:, None]).T @ self.terms
        return full


def node_blocks(points: Floats, weights: Floats, nodes: Floats) -> Iterator[tuple[slice, Floats, Floats]]:
    """Slices of the nodes u with the probabilities P(x_k | u), (7), and A(u) of each."""
    size = max(1, BLOCK // len(points))
    for start in range(0, len(nodes), size):
        part = slice(start, min(start + size, len(nodes)))
        exponents = np.multiply.outer(nodes[part], points)
        exponents += weights
        top = exponents.max(axis=1)
        exponents -= top[:, None]
        shares = np.exp(exponents, out=exponents)
        total = shares.sum(axis=1)
        shares /= total[:, None]
        yield part, shares, top + np.log(total)
