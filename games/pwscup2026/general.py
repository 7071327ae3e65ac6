"""U_gen: whether the release looks like the cohort: marginals, correlations, propensity, time, tails."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import NotPositive, cholesky, correlations, exp, gram, product, solve_factored
from games.contract.tables import Columns

from .distances import ks, mahalanobis, percentile, total_variation
from .layout import LABS, NUMBERS, Floats, clipped, matrix, size
from .reference import Reference
from .survival import area_between, kaplan_meier

CATEGORIES = ("sex", "smoking", "prefecture")
CORRELATED = ("age", "sex", *LABS, "smoking")
WORST_MEAN, WORST_TAIL = 0.40, 0.80
"""Differences of rank correlations, on the mean and at the 90th percentile, that leave nothing of corr."""
MOST_STEPS = 200
LARGEST_RATIO = 1.4
NORM_UP, NORM_DOWN = 0.3054, 0.3412
SHIFT_FREE, SHIFT_SCALE = 3.0, 5.0
SPIKE_CAP, SPIKE_SCALE, SPIKE_GUARD = 10.0, 0.5, 0.05
UP, DOWN = (95.0, 99.0, 99.9), (5.0, 1.0, 0.1)
DISTANCE = "maha"


def marginal(cohort: Columns, release: Columns) -> float:
    """The mean over ten columns of 1 − KS for numbers and 1 − total variation for categories."""
    kept = [1 - ks(release[name].astype(float), cohort[name].astype(float)) for name in NUMBERS]
    kept += [1 - total_variation(release[name], cohort[name]) for name in CATEGORIES]
    return sum(kept) / len(kept)


def corr(cohort: Columns, release: Columns) -> float:
    """Differences of Spearman's correlations of 36 pairs of columns, on the mean and at the 90th percentile.

    A pair that is undefined in one table counts 1; in both, it is left out.
    """
    pairs = np.triu_indices(len(CORRELATED), 1)
    after, before = (spearman(matrix(table, CORRELATED))[pairs] for table in (release, cohort))
    differences = np.abs(after - before)
    differences[np.isnan(after) != np.isnan(before)] = 1.0
    used = differences[~np.isnan(differences)]
    if not len(used):
        used = np.zeros(1)
    mean_score = clipped(1 - float(used.mean()) / WORST_MEAN)
    return min(mean_score, clipped(1 - percentile(used, 90) / WORST_TAIL))


def spearman(columns: Floats) -> Floats:
    """Correlations of average ranks; NaN where a column is constant.

    >>> spearman(np.array([[1.0, 9.0], [2.0, 5.0], [2.0, 1.0]])).round(6).tolist()
    [[1.0, -0.866025], [-0.866025, 1.0]]
    """
    ranks = np.column_stack([_average_ranks(column) for column in columns.T])
    with np.errstate(invalid="ignore", divide="ignore"):
        return correlations(ranks)


def _average_ranks(values: Floats) -> Floats:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = ((last - counts + 1 + last) / 2)[codes.reshape(-1)]
    return ranks


class Propensity(NamedTuple):
    chances: Floats
    fit: str
    """``mle``, or ``l2`` where the maximum likelihood has no finite value."""


def pmse(cohort: Columns, release: Columns) -> float:
    """1 − mean((p̂ − c)²) / (c (1 − c)), p̂ the chance that a row is of the release."""
    share = size(release) / (size(release) + size(cohort))
    deviations = propensity(cohort, release).chances - share
    return clipped(1 - float(np.mean(deviations * deviations)) / (share * (1 - share)))


def propensity(cohort: Columns, release: Columns) -> Propensity:
    """Logistic regression of "is of the release" on nine columns, numbers standardised over both tables."""
    numbers = np.concatenate([matrix(release), matrix(cohort)])
    deviations = numbers.std(axis=0)
    units = np.where(deviations > 0, deviations, 1.0)
    scaled = np.where(deviations > 0, (numbers - numbers.mean(axis=0)) / units, 0.0)
    flags = np.concatenate([matrix(release, ("sex", "smoking")), matrix(cohort, ("sex", "smoking"))])
    columns = np.column_stack([scaled, flags, np.ones(len(scaled))])
    labels = np.repeat([1.0, 0.0], [size(release), size(cohort)])
    chances = _likeliest(columns, labels)
    if chances is not None:
        return Propensity(chances, "mle")
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, fit_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(columns, labels)
    return Propensity(np.asarray(model.predict_proba(columns))[:, 1], "l2")


def _likeliest(columns: Floats, labels: Floats) -> Floats | None:
    """The fitted chances by Newton's method; None where it does not converge or the columns are dependent."""
    weights = np.zeros(columns.shape[1])
    for _ in range(MOST_STEPS):
        chances = _logistic(product(columns, weights))
        information = gram(columns, chances * (1 - chances))
        try:
            step = solve_factored(cholesky(information), product(columns.T, labels - chances))
        except NotPositive:
            return None
        weights = weights + step
        if not np.isfinite(weights).all():
            return None
        if float(np.abs(step).max()) <= 1e-10:
            return _logistic(product(columns, weights))
    return None


def _logistic(line: Floats) -> Floats:
    """1 / (1 + exp(−x)), without large exponentials."""
    small = exp(-np.abs(line))
    chances: Floats = np.where(line >= 0, 1 / (1 + small), small / (1 + small))
    return chances


def time(cohort: Columns, release: Columns, reference: Reference) -> float:
    """What the area between the curves of onset leaves of that over the cohort's, beyond the noise."""
    before, after = (kaplan_meier(table["time"].astype(float), table["onset"]) for table in (cohort, release))
    beyond = max(0.0, area_between(before, after) - reference.km_floor)
    return clipped(1 - beyond / max(reference.km_signal, 1e-9))


class Tail(NamedTuple):
    shift: float
    spike: float
    kept_shift: float
    kept_spike: float

    @property
    def score(self) -> float:
        return min(self.kept_shift, self.kept_spike)


@cache
def tail_tables() -> Mapping[str, Mapping[str, float]]:
    """The two published tables: the noise of every statistic, and its ratio to that of cohorts."""
    text = Path(__file__).with_name("tail.json").read_text(encoding="utf-8")
    tables: Mapping[str, Mapping[str, float]] = json.loads(text)
    return tables


def tail(cohort: Columns, release: Columns, reference: Reference) -> Tail:
    """How percentiles at both ends moved, in units of their noise: together, and one by one."""
    tables = tail_tables()
    before, after = _with_distance(cohort, reference), _with_distance(release, reference)
    moved: dict[str, list[float]] = {"up": [], "down": []}
    excesses = []
    for name in (*LABS, DISTANCE):
        spread = percentile(before[name], 75) - percentile(before[name], 25)
        for way, percents in (("up", UP), ("down", DOWN if name != DISTANCE else ())):
            for percent in percents:
                key = f"{name}_q{percent:g}"
                if tables["ratio"][key] > LARGEST_RATIO:
                    continue
                noise = tables["floor_sd"][key] * max(tables["ratio"][key], 1.0)
                difference = percentile(after[name], percent) - percentile(before[name], percent)
                moved[way].append(difference / noise)
                allowed = max(3 * noise, SPIKE_GUARD * spread)
                excesses.append(min(SPIKE_CAP, max(0.0, abs(difference) / allowed - 1)))
    up, down = (sum(values) / len(values) for values in moved.values())
    shift = math.sqrt((up / NORM_UP) ** 2 + (down / NORM_DOWN) ** 2) / math.sqrt(2)
    spike = sum(excesses) / len(excesses)
    kept_shift = clipped(1 - max(0.0, shift - SHIFT_FREE) / SHIFT_SCALE)
    return Tail(shift, spike, kept_shift, clipped(1 - spike / SPIKE_SCALE))


def _with_distance(table: Columns, reference: Reference) -> Mapping[str, npt.NDArray[Any]]:
    return {**table, DISTANCE: mahalanobis(matrix(table), reference.mean, reference.covariance)}
