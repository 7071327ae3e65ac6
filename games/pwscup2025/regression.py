"""Item 2: how far two logistic regressions of asthma on everything else are apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from arithmetic import exp, gram, inverse_gram, least_squares, log, product, pseudo_inverse

from .features import NO_LEVEL, features_of, several_valued
from .layout import Floats, Integers, Texts, numbers_of
from .split import stratified_split

TARGET = "asthma_flag"
ALWAYS = "ETHNICITY_hispanic"
"""A term that the organisers' program lists even where it is the base of its column."""
KINDS = ("coef", "p", "odds", "low", "high", "vif")
NORMAL_QUANTILE = 1.959963984540054
ROUNDS = 100
SETTLED = 1e-8
"""The change of the deviance at which the fit is done."""
CUTOFF = 1e-15
EPSILON = float(np.finfo(np.float64).eps)
COLLINEAR = 1e-12
"""What is left of a column's variance where it counts as a combination of the others."""
Term = Mapping[str, float]


class Fit(NamedTuple):
    """Coefficients, the constant first, and their covariance."""

    coefficients: Floats
    covariance: Floats


class Regression(NamedTuple):
    """The six numbers of each term, and the area under the ROC curve of the rows held out."""

    terms: Mapping[str, Term]
    auc: float


def lr_difference(before: Texts, after: Texts, mapping: str = "tanh") -> float:
    """How far the regressions of two tables are apart."""
    return terms_difference(regression_of(before), regression_of(after), mapping)


def terms_difference(before: Regression, after: Regression, mapping: str) -> float:
    """The largest difference of a number of a term; a term that a table lacks is 0 throughout.

    Differences of coefficients are mapped: *tanh* to 2·(logistic(d) − ½), *logistic* to logistic(d), or are
    taken as they are (*raw*).
    """
    first, second = before.terms, after.terms
    largest = 0.0
    for term in {**first, **second}:
        for kind in KINDS:
            gap = second.get(term, {}).get(kind, 0.0) - first.get(term, {}).get(kind, 0.0)
            largest = max(largest, abs(mapped(gap, mapping) if kind == "coef" else gap))
    return largest


def mapped(gap: float, mapping: str) -> float:
    """
    >>> mapped(0.0, "tanh"), mapped(0.0, "logistic"), mapped(-3.0, "raw")
    (0.0, 0.5, -3.0)
    """
    if mapping == "raw":
        return gap
    logistic = 1 / (1 + float(exp(-gap)))
    return logistic if mapping == "logistic" else 2 * (logistic - 0.5)


def regression_of(table: Texts) -> Regression:
    """Fit the regression on the rows that the stratified split gives, and describe its terms."""
    columns, labels = design(table)
    names = list(columns)
    rows = np.column_stack([np.ones(len(labels)), *columns.values()])
    training, test = stratified_split(labels)
    fit = fitted(rows[training], labels[training].astype(np.float64))
    inflation = variance_inflation(rows[training][:, 1:])
    terms = {
        name: _term(float(fit.coefficients[place]), float(fit.covariance[place, place]), inflation[place - 1])
        for place, name in enumerate(names, start=1)
    }
    terms.setdefault(ALWAYS, dict.fromkeys(KINDS, 0.0))
    chances = product(rows[test], fit.coefficients)
    return Regression(terms, area_under_curve(chances, labels[test]))


def design(table: Texts) -> tuple[dict[str, Floats], Integers]:
    """The filled columns of the rows whose target is 0 or 1, and that target."""
    columns = {}
    for name, values in features_of(table, TARGET, NO_LEVEL).items():
        finite = np.where(np.isfinite(values), values, np.nan)
        if not np.isnan(finite).all():
            columns[name] = np.where(np.isnan(finite), np.nanmedian(finite), finite)
    target = numbers_of(table[TARGET])
    kept = (target == 0) | (target == 1)
    several = several_valued(columns)
    return {name: values[kept] for name, values in several.items()}, target[kept].astype(np.int64)


def fitted(rows: Floats, labels: Floats) -> Fit:
    """Iteratively reweighted least squares, as statsmodels fits a binomial model."""
    chances = (labels + 0.5) / 2
    line = log(chances / (1 - chances))
    deviance = deviance_of(labels, chances)
    weighted = rows
    for _ in range(ROUNDS):
        weights = chances * (1 - chances)
        root = np.sqrt(weights)
        weighted = rows * root[:, None]
        response = line + (labels - chances) / weights
        coefficients = least_squares(weighted, root * response, CUTOFF)
        line = product(rows, coefficients)
        chances = np.clip(1 / (1 + exp(-line)), EPSILON, 1 - EPSILON)
        before, deviance = deviance, deviance_of(labels, chances)
        if abs(deviance - before) <= SETTLED:
            break
    return Fit(coefficients, inverse_gram(weighted, CUTOFF))


def deviance_of(labels: Floats, chances: Floats) -> float:
    likely = np.clip(np.where(labels == 1, chances, 1 - chances), EPSILON, 1.0)
    return -2 * math.fsum(log(likely))


def _term(coefficient: float, variance: float, inflation: float) -> Term:
    error = math.sqrt(variance) if variance > 0 else 0.0
    z = abs(coefficient / error) if error else (math.inf if coefficient else 0.0)
    return {
        "coef": coefficient,
        "p": math.erfc(z / math.sqrt(2)),
        "odds": share_of_odds(coefficient),
        "low": share_of_odds(coefficient - NORMAL_QUANTILE * error),
        "high": share_of_odds(coefficient + NORMAL_QUANTILE * error),
        "vif": 1 - 1 / max(inflation, 1.0),
    }


def share_of_odds(coefficient: float) -> float:
    """e^b / (1 + e^b); odds beyond all numbers count as 0, as in the organisers' program.

    >>> share_of_odds(0.0), share_of_odds(1000.0)
    (0.5, 0.0)
    """
    odds = float(exp(coefficient))
    return odds / (1 + odds) if math.isfinite(odds) else 0.0


def variance_inflation(columns: Floats) -> list[float]:
    """1 / (1 − R²) of each column on the constant and all others; an infinite one counts as 1."""
    centred = columns - columns.mean(axis=0)
    size = np.sqrt((centred * centred).sum(axis=0))
    there = np.flatnonzero((columns.min(axis=0) != columns.max(axis=0)) & (size > 0))
    found = np.ones(columns.shape[1])
    moments = gram(centred[:, there] / size[there])
    for place, column in enumerate(there):
        others = np.delete(np.arange(len(there)), place)
        along = moments[others, place]
        explained = product(along, product(pseudo_inverse(moments[np.ix_(others, others)]), along))
        left = 1 - float(explained)
        found[column] = 1 / left if left > COLLINEAR else 1.0
    return found.tolist()


def area_under_curve(scores: Floats, labels: Integers) -> float:
    """The chance that a row with 1 has a higher score than one with 0, ties half."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    n_ones = int(labels.sum())
    n_zeros = len(labels) - n_ones
    if not n_ones or not n_zeros:
        return 0.5
    return float((ranks[labels == 1].sum() - n_ones * (n_ones + 1) / 2) / (n_ones * n_zeros))
