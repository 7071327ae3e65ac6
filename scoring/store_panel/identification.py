"""Whose row is this? The intruder's multinomial logit (model 2), tested on periods that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from datasets.store_panel import StorePanel
from datasets.tables import Integers
from scoring.store_panel.logit import Floats, LogitData, fit_logit, leave_out, softmax

VARIABLES = ("response", "price", "promotions")
RIDGE = 1.0
INTERCEPT_RIDGE = 1e-6
"""Only picks one of the equivalent solutions: adding a number to all intercepts changes no probability."""
BALANCE_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class SubjectPeriods:
    """One row per subject and period, with the predictors of all brands side by side."""

    x: Floats
    subject: Integers
    period: Integers
    n_subjects: int
    n_dropped: int
    """Subject-periods left out because a brand has no row there."""


def subject_periods(panel: StorePanel, variables: Sequence[str] = VARIABLES) -> SubjectPeriods:
    """Arrange ln response, ln price and promotions of every brand as predictors of the identity."""
    columns = []
    if "response" in variables:
        columns.append(panel.log_response)
    if "price" in variables:
        columns.append(panel.log_price)
    if "promotions" in variables:
        columns += list(panel.promotions.T)
    if not columns:
        raise ValueError(f"An identification needs predictors among {', '.join(VARIABLES)}. Got none.")
    n_periods = int(panel.period.max()) + 1
    key = panel.subject.codes.astype(np.int64) * n_periods + panel.period
    cells, cell = np.unique(key, return_inverse=True)
    wide = np.full((len(cells), panel.brand.n_labels, len(columns)), np.nan)
    wide[cell, panel.brand.codes] = np.column_stack(columns)
    x = wide.reshape(len(cells), -1)
    whole = ~np.isnan(x).any(axis=1)
    if not whole.any():
        raise ValueError("No subject has rows of all brands in one period. Expected at least one.")
    return SubjectPeriods(
        x=x[whole],
        subject=cells[whole] // n_periods,
        period=cells[whole] % n_periods,
        n_subjects=panel.subject.n_labels,
        n_dropped=int((~whole).sum()),
    )


def identification(
    data: SubjectPeriods, *, distinct: bool = False, intercept: bool = False, ridge: float = RIDGE
) -> Floats:
    """P(Ŷ_i = ID_i′) by leaving out one period at a time (Figure 3, equation 6), subjects × subjects.

    ln P(i′)/P(1) = Σ_j a_i′j ln S_ij + b_i′j ln P_ij + Σ_l c_li′j D_lij, as equation (2) is printed: no
    intercept unless asked for. Predictors are divided by their standard deviations and the coefficients have
    a ridge penalty ½ · ridge · w², because promotions that some stores never had separate them and the plain
    likelihood then has no maximum. With ``distinct`` a period's subjects are taken to be different from each
    other (`balanced`): our variant of what the paper leaves open. The rows of subjects without a period are
    even.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Sections 2.2
    and 2.4.1.
    """
    model = _logit_data(data, _scale(data), intercept, ridge)
    periods = np.unique(data.period, return_inverse=True)[1]
    if periods.max() == 0:
        raise ValueError("Leaving one period out needs at least two periods. Got 1.")
    total = np.zeros((data.n_subjects, data.n_subjects))
    # The matrices are small: threads of the linear algebra cost more than they save.
    with threadpool_limits(1):
        for rows, chances in leave_out(model, periods):
            _add(total, data.subject[rows], balanced(chances) if distinct else chances)
    return _mean(total, data.subject)


def identification_holdout(
    history: SubjectPeriods,
    released: SubjectPeriods,
    *,
    distinct: bool = False,
    intercept: bool = False,
    ridge: float = RIDGE,
) -> Floats:
    """P(Ŷ_i = ID_i′) of the released periods by a model learned from a history, true or protected.

    The intruder of Section 3.5 and Table 6: rows with known identities up to some period, then a release
    whose rows are hashed. Subjects must be numbered alike in both.
    """
    scale = _scale(history)
    with threadpool_limits(1):
        weights = fit_logit(_logit_data(history, scale, intercept, ridge))
    seen = _logit_data(released, scale, intercept, ridge)
    total = np.zeros((released.n_subjects, released.n_subjects))
    for period in np.unique(released.period):
        rows = np.flatnonzero(released.period == period)
        chances = softmax(seen.x[rows], weights)
        _add(total, released.subject[rows], balanced(chances) if distinct else chances)
    return _mean(total, released.subject)


def balanced(chances: Floats) -> Floats:
    """Scale a period's probabilities so that no identity is claimed more than once in all.

    With as many rows as identities the result is doubly stochastic: rows and columns sum to 1. Absent
    subjects count as even rows. Alternating scaling (R. Sinkhorn, 1964), until rows sum to 1 within 1e-9.

    >>> balanced(np.array([[0.8, 0.2], [0.8, 0.2]])).round(6).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    n_rows, n = chances.shape
    whole = np.vstack([np.maximum(chances, 1e-300), np.full((max(n - n_rows, 0), n), 1 / n)])
    for _ in range(BALANCE_STEPS):
        whole /= whole.sum(axis=0)
        sums = whole.sum(axis=1, keepdims=True)
        whole /= sums
        if float(np.abs(sums - 1).max()) < 1e-9:
            break
    return whole[:n_rows]


def _scale(data: SubjectPeriods) -> Floats:
    spread = data.x.std(axis=0)
    return np.where(spread > 1e-12, spread, 1.0)


def _logit_data(data: SubjectPeriods, scale: Floats, intercept: bool, ridge: float) -> LogitData:
    x, penalty = data.x / scale, np.full(data.x.shape[1], float(ridge))
    if intercept:
        x = np.column_stack([np.ones(len(x)), x])
        penalty = np.concatenate([[INTERCEPT_RIDGE], penalty])
    return LogitData(x, data.subject, data.n_subjects, penalty)


def _add(total: Floats, subject: Integers, chances: Floats) -> None:
    np.add.at(total, subject, chances)


def _mean(total: Floats, subject: Integers) -> Floats:
    count = np.bincount(subject, minlength=len(total))[:, None]
    return np.where(count > 0, total / np.maximum(count, 1), 1 / len(total))
