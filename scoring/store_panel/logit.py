"""The multinomial logit by Newton's method, and its leave-one-period-out fits from one factorisation each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arithmetic import cholesky, exp, gram, log, minimise, product, quasi_newton, solve_factored
from datasets.tables import Integers

Floats = npt.NDArray[np.float64]

NEWTON_LIMIT = 1600
"""Up to this many coefficients the Hessian is built and factored; beyond, L-BFGS."""
TOLERANCE = 1e-6
"""A fit ends once no probability that is asked for moves by more."""
MAX_STEPS = 100


@dataclass(frozen=True, eq=False)
class LogitData:
    """Rows of predictors with the class of each; ``penalty`` holds the ridge of every predictor."""

    x: Floats
    y: Integers
    n_classes: int
    penalty: Floats

    def class_sums(self) -> Floats:
        """Σ of the predictors of every class: what the fitted probabilities must reproduce."""
        columns = [np.bincount(self.y, weights=c, minlength=self.n_classes) for c in self.x.T]
        return np.column_stack(columns).astype(np.float64)


def softmax(x: Floats, weights: Floats) -> Floats:
    """P(class | row) ∝ exp(w_class · x)."""
    scores = product(x, weights.T)
    scores = exp(scores - scores.max(axis=1, keepdims=True))
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def fit_logit(data: LogitData, start: Floats | None = None) -> Floats:
    """Weights (classes × predictors) that minimise −Σ ln P(y | x) + ½ Σ penalty · w².

    The penalty makes the optimum exist and be unique even where a predictor separates classes. Newton steps
    with halving; L-BFGS where the Hessian would be too large.

    >>> data = LogitData(np.array([[1.0], [-1.0]]), np.array([0, 1]), 2, np.array([0.1]))
    >>> softmax(np.array([[1.0]]), fit_logit(data)).round(2).tolist()
    [[0.93, 0.07]]
    """
    weights = np.zeros((data.n_classes, data.x.shape[1])) if start is None else start.copy()
    if weights.size > NEWTON_LIMIT:
        return _by_lbfgs(data, weights)
    sums, value = data.class_sums(), _objective(data, weights)
    for _ in range(MAX_STEPS):
        chances = softmax(data.x, weights)
        gradient = product(chances.T, data.x) - sums + data.penalty * weights
        step = solve_factored(cholesky(_hessian(data, chances)[0]), gradient.ravel()).reshape(weights.shape)
        size = 1.0
        while (tried := _objective(data, weights - size * step)) > value + 1e-9 * abs(value) and size > 1e-6:
            size /= 2
        weights, value = weights - size * step, tried
        if float(np.abs(softmax(data.x, weights) - chances).max()) < TOLERANCE:
            break
    return weights


def leave_out(data: LogitData, period: Integers) -> Iterator[tuple[Integers, Floats]]:
    """For every period its rows and their probabilities under the fit to all other periods.

    One fit to all rows, then for each period quasi-Newton steps from there on top of the Hessian of the other
    rows, H₋ₖ = H − Hₖ, factored once: the fit changes little, so that few steps reach the optimum.
    """
    weights = fit_logit(data)
    rows_of = [np.flatnonzero(period == k) for k in range(int(period.max()) + 1)]
    if weights.size > NEWTON_LIMIT:
        for rows in rows_of:
            yield rows, softmax(data.x[rows], _by_lbfgs(_without(data, rows), weights))
        return
    hessian, products = _hessian(data, softmax(data.x, weights))
    sums = data.class_sums()
    for rows in rows_of:
        if len(rows):
            yield rows, _left_out(data, weights, hessian, products[rows], sums, rows)


def _left_out(
    data: LogitData, weights: Floats, hessian: Floats, products: Floats, sums: Floats, rows: Integers
) -> Floats:
    """Probabilities of some rows under the fit to all others."""
    x, part = data.x[rows], _without(data, rows, check=False)
    own = _curvature(products, x, data.n_classes)
    factor = cholesky(hessian - own)
    own_sums = LogitData(x, data.y[rows], data.n_classes, data.penalty).class_sums()
    chances = softmax(x, weights)
    # At the optimum of all rows their gradient is 0, so that of the others is minus that of the left-out.
    gradient = (own_sums - product(chances.T, x)).ravel()
    pairs: list[tuple[Floats, Floats]] = []
    for _ in range(MAX_STEPS):
        step = -quasi_newton(pairs, gradient, lambda v: solve_factored(factor, v))
        weights = weights + step.reshape(weights.shape)
        before, chances = chances, softmax(x, weights)
        if float(np.abs(chances - before).max()) < 10 * TOLERANCE:
            break
        fitted = product(softmax(part.x, weights).T, part.x)
        now = (fitted - (sums - own_sums) + data.penalty * weights).ravel()
        pairs.append((step, now - gradient))
        gradient = now
    return chances


def _without(data: LogitData, rows: Integers, check: bool = True) -> LogitData:
    kept = np.ones(len(data.y), dtype=bool)
    kept[rows] = False
    if check and not kept.any():
        raise ValueError("Leaving a period out leaves nothing to learn from. Expected at least two periods.")
    return LogitData(data.x[kept], data.y[kept], data.n_classes, data.penalty)


def _hessian(data: LogitData, chances: Floats) -> tuple[Floats, Floats]:
    """The Hessian, coefficients in the order class, predictor; and P(class) · x of every row."""
    products = (chances[:, :, None] * data.x[:, None, :]).reshape(len(data.x), -1)
    hessian = _curvature(products, data.x, data.n_classes)
    hessian[np.diag_indices_from(hessian)] += np.tile(data.penalty, data.n_classes)
    return hessian, products


def _curvature(products: Floats, x: Floats, n_classes: int) -> Floats:
    """Σ over rows of (diag(P) − PPᵀ) ⊗ xxᵀ."""
    n_predictors = x.shape[1]
    curvature = -gram(products)
    blocks = product(products.T, x).reshape(n_classes, n_predictors, n_predictors)
    for number in range(n_classes):
        place = slice(number * n_predictors, (number + 1) * n_predictors)
        curvature[place, place] += blocks[number]
    return curvature


def _objective(data: LogitData, weights: Floats) -> float:
    scores = product(data.x, weights.T)
    top = scores.max(axis=1)
    likelihood = scores[np.arange(len(data.y)), data.y] - top
    likelihood -= log(exp(scores - top[:, None]).sum(axis=1))
    return float(-likelihood.sum() + 0.5 * (data.penalty * weights**2).sum())


def _by_lbfgs(data: LogitData, start: Floats) -> Floats:
    sums = data.class_sums()

    def value_and_gradient(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(start.shape)
        gradient = product(softmax(data.x, weights).T, data.x) - sums + data.penalty * weights
        return _objective(data, weights), gradient.ravel()

    return minimise(value_and_gradient, start.ravel(), goal=1e-4, most=1000).x.reshape(start.shape)
