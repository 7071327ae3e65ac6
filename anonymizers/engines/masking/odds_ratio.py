"""The semiparametric odds-ratio model of one column given others, fitted by maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.likelihood import Likelihood, node_blocks
from arithmetic import NotPositive, cholesky, eigen, gram, log, minimise, product, triangular

MAX_ITERATIONS = 500
ROUND = 12
GOAL = 1e-5
"""Gradient, in standard errors, at which the search stops."""
CHEAP = 100
"""Up to this many distinct values the search starts from the curvature; beyond, from its diagonal."""
MAX_PRECONDITIONED = 1_500
"""Up to this many distinct values it turns to the curvature where the diagonal was not enough."""
TOLERANCE = 1e-3
"""Largest remaining step, in standard errors of a parameter, that still counts as converged."""


@dataclass(frozen=True, eq=False)
class OddsRatio:
    """A fitted model: P(x_k | z) ∝ exp(λ_k + (x_k − x_0) z·γ), Qian and Xie (2)–(6), with λ_K = 0.

    ``points`` are the x_k in rising order, ``weights`` the λ_k, ``centre`` is x_0.
    """

    points: Floats
    weights: Floats
    centre: float
    gamma: Floats
    log_likelihood: float
    iterations: int
    remaining: float
    rank: int

    @property
    def converged(self) -> bool:
        return self.remaining <= TOLERANCE

    def probabilities(self, terms: Floats) -> Floats:
        """P(x_k | z) for a few rows of terms, (7): a rows × K table, so not for whole data.

        The example is the Appendix's: γ̂ = 0.954 and the first observation.

        >>> x = np.array([-1.306, -.415, -.196, .055, .160, .314, .457, .778, 1.226, 1.617])
        >>> lam = np.array([-.077, .165, .199, .224, .230, .233, .231, .205, .120, .0])
        >>> model = OddsRatio(x, lam, x.mean(), np.array([0.954]), 0.0, 0, 0.0, 1)
        >>> model.probabilities(np.array([[-0.698]])).round(3).tolist()[0][:3]
        [0.201, 0.141, 0.126]
        """
        nodes = product(terms, self.gamma)
        blocks = node_blocks(self.points - self.centre, self.weights, nodes)
        return np.concatenate([shares for _, shares, _ in blocks])


def fit_odds_ratio(values: Floats, terms: Floats, shares: Floats | None = None) -> OddsRatio:
    """Fit the odds-ratio model of ``values`` given the centred ``terms`` (rows × q) by maximum likelihood.

    Limited-memory quasi-Newton with the analytic gradient, in coordinates in which the information is
    about the identity, so that one unit is one standard error. Collinear terms are allowed: the
    coefficients are then those of the smallest norm. ``shares`` weighs the observations.
    """
    codes, points = pd.factorize(values, sort=True)
    if len(points) < 2:
        raise ValueError("An odds-ratio model needs at least two distinct values. Got one instead.")
    centre, unit = float(values.mean()), float(values.std())
    data = Likelihood.of((points - centre) / unit, codes.astype(np.int64), terms, shares)
    basis, back = _orthogonal(data.terms, data.rows)
    data = replace(data, terms=basis)
    weights, alpha, iterations, remaining = _maximise(data)
    value, _, _ = data.value_and_gradient(weights, alpha)
    gamma = product(back, alpha) / unit
    return OddsRatio(
        points, weights - weights[-1], centre, gamma, value, iterations, remaining, basis.shape[1]
    )


def _orthogonal(terms: Floats, rows: Floats) -> tuple[Floats, Floats]:
    """An orthonormal basis of the terms, of unit variance, and the map from its coefficients to theirs."""
    scale = np.sqrt(np.average(terms**2, axis=0, weights=rows))
    scale[scale == 0] = 1.0
    scaled = terms / scale
    sizes, axes = eigen(gram(scaled, rows) / rows.sum())
    kept = sizes > 1e-12 * max(sizes.max(initial=0.0), 1e-300)
    turn = axes[:, kept] / np.sqrt(sizes[kept])
    return product(scaled, turn), turn / scale[:, None]


def _maximise(data: Likelihood) -> tuple[Floats, Floats, int, float]:
    """λ̂, α̂, how many iterations, and the remaining gradient in standard errors.

    A round of the search is short: far from the optimum the curvature changes, and new coordinates pay off.
    """
    weights, alpha = _start(data)
    iterations, remaining = 0, np.inf
    # The curvature of many values is expensive, and near a normal model its diagonal is nearly as good.
    curved = len(weights) <= CHEAP
    while iterations < MAX_ITERATIONS:
        weights, alpha, done, remaining = _round(data, weights, alpha, curved)
        iterations += done
        last = curved or len(weights) > MAX_PRECONDITIONED
        if remaining <= GOAL or (done == 0 and last):
            break
        curved = len(weights) <= MAX_PRECONDITIONED
    return weights, alpha, iterations, remaining


def _round(
    data: Likelihood, weights: Floats, alpha: Floats, curved: bool
) -> tuple[Floats, Floats, int, float]:
    """Some iterations of limited-memory quasi-Newton from a point, in the coordinates of that point."""
    n_points = len(weights)
    origin = np.concatenate([weights, alpha])
    coordinates = _coordinates(data, weights, alpha, curved)
    # Differences from the first value keep the line search exact near the optimum.
    first = data.value_and_gradient(weights, alpha)[0]

    def loss(step: Floats) -> tuple[float, Floats]:
        full = origin + coordinates.to_parameters(step)
        value, by_weight, by_alpha = data.value_and_gradient(full[:n_points], full[n_points:])
        return first - value, -coordinates.to_gradient(np.concatenate([by_weight, by_alpha]))

    length = ROUND if n_points <= MAX_PRECONDITIONED else MAX_ITERATIONS
    found = minimise(loss, np.zeros(len(origin)), goal=GOAL, most=length)
    best = origin + coordinates.to_parameters(found.x)
    return best[:n_points], best[n_points:], found.iterations, float(np.abs(found.gradient).max())


def _start(data: Likelihood) -> tuple[Floats, Floats]:
    """Independence or the normal linear model, whichever is likelier.

    A normal linear model of variance s² is the odds-ratio model with γ = β / s²; against the marginal
    variance 1 its reference density is the marginal one times exp(−x² (1/s² − 1) / 2).
    """
    apart = log(data.counts), np.zeros(data.terms.shape[1])
    slope = product(data.terms.T, data.sums) / data.rows.sum()
    excess = 1 / max(1 - float(product(slope, slope)), 1e-3) - 1
    linear = apart[0] - data.points**2 * excess / 2, slope * (1 + excess)
    return max(apart, linear, key=lambda start: data.value_and_gradient(*start)[0])


@dataclass(frozen=True, eq=False)
class _Coordinates:
    """Coordinates of the search in which the information is about the identity."""

    to_parameters: Callable[[Floats], Floats]
    to_gradient: Callable[[Floats], Floats]


def _coordinates(data: Likelihood, weights: Floats, alpha: Floats, curved: bool) -> _Coordinates:
    if curved:
        information = data.information(weights, alpha)
        # Adding a constant to all λ changes nothing; the rank-one term makes that direction harmless.
        information[: len(weights), : len(weights)] += data.rows.sum() / len(weights) ** 2
        information[np.diag_indices_from(information)] *= 1 + 1e-8
        try:
            lower = cholesky(information)
        except NotPositive:
            pass
        else:
            return _Coordinates(
                lambda step: triangular(lower, step, transposed=True),
                lambda gradient: triangular(lower, gradient),
            )
    size = np.concatenate([np.sqrt(data.counts), np.full(len(alpha), np.sqrt(data.rows.sum()))])
    return _Coordinates(lambda step: step / size, lambda gradient: gradient / size)
