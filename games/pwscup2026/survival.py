"""Kaplan–Meier curves, concordance, and the Cox regression with the stopping rule of the contest."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import NotPositive, cholesky, exp, inverse, log, product, solve_factored

from .layout import HORIZON, Floats

LEAST_VARIANCE = 1e-4
"""Of a covariate: below it nothing is estimated."""
MOST_ROUNDS = 500
SMALLEST_STEP = 1e-5


class Curve(NamedTuple):
    """A right-continuous step function: the survival from each of these times on, 1 before the first."""

    times: Floats
    survival: Floats

    def at(self, grid: Floats) -> Floats:
        steps = np.concatenate([[1.0], self.survival])
        return steps[np.searchsorted(self.times, grid, side="right")]


def kaplan_meier(time: Floats, event: npt.NDArray[Any], weight: Floats | None = None) -> Curve:
    """The product over event times of 1 − events / at risk; a weight counts a row several times.

    >>> kaplan_meier(np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1])).survival.round(6).tolist()
    [0.666667, 0.666667, 0.0]
    """
    times, codes = np.unique(time, return_inverse=True)
    weights = np.ones(len(time)) if weight is None else weight
    leaving = np.bincount(codes.reshape(-1), weights=weights, minlength=len(times))
    events = np.bincount(codes.reshape(-1), weights=weights * (event == 1), minlength=len(times))
    at_risk = np.cumsum(leaving[::-1])[::-1]
    factors = 1 - np.divide(events, at_risk, out=np.zeros(len(times)), where=at_risk > 0)
    return Curve(times, np.cumprod(factors))


def trapezoid(values: Floats, grid: Floats) -> float:
    """
    >>> trapezoid(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 3.0]))
    2.5
    """
    return float((np.diff(grid) * (values[1:] + values[:-1]) / 2.0).sum())


def grid_of(*times: Floats) -> Floats:
    """The distinct times up to the horizon, with 0 and the horizon."""
    grid = np.unique(np.concatenate([[0.0, HORIZON], *times]))
    return grid[grid <= HORIZON]


def area_between(left: Curve, right: Curve) -> float:
    """The area between two curves by the trapezoid rule on all their times, not the exact step integral."""
    grid = grid_of(left.times, right.times)
    return trapezoid(np.abs(left.at(grid) - right.at(grid)), grid)


class NotEstimable(ValueError):
    """A Cox regression that does not converge, or that has nothing to estimate."""


class Cox(NamedTuple):
    coefficients: Floats
    errors: Floats


class _Ties(NamedTuple):
    """The events in falling order of time: rows, the last row of their time, their group, Efron's share."""

    rows: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]
    share: Floats


def _ties(time: Floats, event: npt.NDArray[Any]) -> _Ties:
    """``time`` falls. An event's share is its place among those of its time, divided by their number."""
    rows = np.flatnonzero(event == 1)
    _, group, counts = np.unique(-time[rows], return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[group]
    last = np.searchsorted(-time, -time[rows], side="right") - 1
    return _Ties(rows, last, group, place / counts[group])


def _moments(scaled: Floats, beta: Floats, ties: _Ties) -> tuple[float, Floats, Floats]:
    """Log-likelihood, gradient and minus the Hessian with Efron's ties; rows are in falling order of time."""
    linear = product(scaled, beta)
    risks = exp(linear)
    first = risks[:, None] * scaled
    second = first[:, :, None] * scaled[:, None, :]
    totals, means, squares = (
        _at_risk(terms, ties) for terms in (risks[:, None], first, second.reshape(len(scaled), -1))
    )
    means = means / totals
    width = scaled.shape[1]
    inner = (squares / totals).reshape(-1, width, width) - means[:, :, None] * means[:, None, :]
    likelihood = float((linear[ties.rows] - log(totals[:, 0])).sum())
    return likelihood, (scaled[ties.rows] - means).sum(axis=0), inner.sum(axis=0)


def _at_risk(terms: Floats, ties: _Ties) -> Floats:
    """Sums over everybody at risk at each event, less Efron's share of those who have theirs at that time."""
    tied = np.zeros((int(ties.group.max(initial=-1)) + 1, terms.shape[1]))
    np.add.at(tied, ties.group, terms[ties.rows])
    return np.cumsum(terms, axis=0)[ties.last] - ties.share[:, None] * tied[ties.group]


def cox(rows: Floats, time: Floats, event: npt.NDArray[Any]) -> Cox:
    """Cox regression without penalty; raises `NotEstimable`.

    It stops where the contest's program stops, short of full convergence: steps are damped by a factor, and
    the last step is not applied.
    """
    if (rows.var(axis=0, ddof=1) < LEAST_VARIANCE).any():
        raise NotEstimable("A covariate is almost constant.")
    deviations = rows.std(axis=0, ddof=1)
    order = np.argsort(-time, kind="stable")
    scaled = np.ascontiguousarray(((rows - rows.mean(axis=0)) / deviations)[order])
    ties = _ties(time[order], np.asarray(event)[order])
    if not len(ties.rows):
        raise NotEstimable("There is no event.")
    coefficients, information = _newton(scaled, ties)
    variances = np.diag(inverse(information))
    if not (variances > 0).all() or not np.isfinite(variances).all():
        raise NotEstimable("A standard error is zero or not finite.")
    return Cox(coefficients / deviations, np.sqrt(variances) / deviations)


def _factored(information: Floats) -> Floats:
    try:
        return cholesky(information)
    except NotPositive as error:
        raise NotEstimable("The information is singular.") from error


def _newton(scaled: Floats, ties: _Ties) -> tuple[Floats, Floats]:
    """Newton's steps on standardised covariates: the coefficients and the information at the last of them."""
    beta, step = np.zeros(scaled.shape[1]), np.zeros(scaled.shape[1])
    factor, before, norms = _Factor(), math.nan, []
    for number in range(MOST_ROUNDS):
        beta = beta + factor.value * step
        likelihood, gradient, information = _moments(scaled, beta, ties)
        if not math.isfinite(likelihood):
            raise NotEstimable("The likelihood is not finite.")
        step = solve_factored(_factored(information), gradient)
        norms.append(math.sqrt(float(product(step, step))))
        if abs(likelihood) < 1e-4 and norms[-1] > 1:
            raise NotEstimable("The covariates separate the events.")
        small = number > 0 and abs(likelihood - before) / -before < 1e-9
        if norms[-1] < 1e-7 or small or float(product(gradient, step)) / 2 < 1e-7:
            break
        factor.follow(norms)
        if factor.value <= SMALLEST_STEP:
            raise NotEstimable("The steps became too small.")
        before = likelihood
    else:
        raise NotEstimable(f"There were {MOST_ROUNDS} rounds.")
    if norms[-1] > 0.1:
        raise NotEstimable("It stopped far from a maximum.")
    return beta, information


class _Factor:
    """By how much a step is damped."""

    def __init__(self) -> None:
        self.value, self.was_cut = 0.95, False

    def follow(self, norms: list[float]) -> None:
        norm = norms[-1]
        if self.was_cut:
            self.value = min(1.3 * self.value, 0.95)
        if norm >= 15:
            self.value, self.was_cut = self.value * 0.1, True
        elif norm > 5:
            self.value, self.was_cut = self.value * 0.25, True
        if len(norms) >= 3:
            falling = norms[-3] > norms[-2] > norms[-1]
            self.value = min(1.3 * self.value, 1.0) if falling else self.value * 0.98


def concordance(risk: Floats, time: Floats, event: npt.NDArray[Any]) -> float | None:
    """The share of comparable pairs in which the one who fell ill first has the higher risk.

    A pair can be compared where one has an event before the other's time, or at the time at which the other
    is censored. None where there is no such pair.

    >>> concordance(np.array([2.0, 1.0, 1.0]), np.array([1.0, 2.0, 2.0]), np.array([1, 0, 1]))
    0.8333333333333334
    """
    is_event = np.asarray(event) == 1
    first, when = risk[is_event, None], time[is_event, None]
    comparable = (time[None, :] > when) | ((time[None, :] == when) & ~is_event[None, :])
    higher, equal = (first > risk[None, :]) & comparable, (first == risk[None, :]) & comparable
    whole = 2 * int(comparable.sum())
    return (2 * int(higher.sum()) + int(equal.sum())) / whole if whole else None
