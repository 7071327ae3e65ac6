"""The house methods: from a cohort to a release that the file rules accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic import correlations, eigen, exp, log, product
from games.contract.tables import Columns

from .checkups import hidden
from .layout import AGES, FIRST_DAY, HORIZON, NUMBERS, RANGES, RELEASED, Floats, chosen, matrix, size
from .normal import cdf, quantile
from .special import covariates
from .survival import NotEstimable, cox

OUTCOME = ("time", "onset", "death")
"""These stay together: nobody falls ill and dies first."""
ALONE = tuple(name for name in RELEASED if name not in OUTCOME)
SMALLEST_AXIS = 1e-6

Table = dict[str, npt.NDArray[Any]]
Method = Callable[[Columns, Mapping[str, Any], np.random.Generator], Table]


def unchanged(cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    return dict(cohort)


def swap(cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """A share of the cells of each column is permuted; time, onset and death move together."""
    made, n = dict(cohort), size(cohort)
    for names in (*((name,) for name in ALONE), OUTCOME):
        moved = np.flatnonzero(rng.random(n) < params["share"])
        order = np.arange(n)
        order[moved] = rng.permutation(moved)
        for name in names:
            made[name] = cohort[name][order]
    return made


def noise(cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """Normal noise of k standard deviations on the numbers, flips, and noise on the time."""
    k, n = params["k"], size(cohort)
    made = dict(cohort)
    for name in NUMBERS:
        values = np.asarray(cohort[name], dtype=float)
        made[name] = _legal(name, values + k * float(values.std()) * rng.standard_normal(n))
    for name in ("sex", "smoking"):
        flips = rng.random(n) < min(0.5, 0.15 * k)
        made[name] = np.where(flips, 1 - cohort[name], cohort[name])
    factors = 1 + 0.1 * k * rng.standard_normal(n)
    made["time"] = np.clip(np.asarray(cohort["time"], dtype=float) * factors, FIRST_DAY, HORIZON)
    return made


def _legal(name: str, values: Floats) -> npt.NDArray[Any]:
    if name == "age":
        return np.clip(np.floor(values), *AGES).astype(np.int64)
    return np.clip(values, *RANGES[name])


def independent(cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """Every column is drawn by itself; numbers lie between values of the cohort, outcomes stay together."""
    n = size(cohort)
    made: Table = {name: cohort[name][rng.integers(0, n, n)] for name in ("sex", "smoking", "prefecture")}
    for name in NUMBERS:
        made[name] = _legal(name, _quantiles(cohort[name], rng.random(n)))
    return made | _any_outcome(cohort, rng)


def _quantiles(values: npt.NDArray[Any], chances: Floats) -> Floats:
    """Linear between order statistics."""
    ordered = np.sort(np.asarray(values, dtype=float))
    places = chances * (len(ordered) - 1)
    below = np.minimum(places.astype(np.int64), max(0, len(ordered) - 2))
    above = np.minimum(below + 1, len(ordered) - 1)
    return ordered[below] + (places - below) * (ordered[above] - ordered[below])


def _any_outcome(cohort: Columns, rng: np.random.Generator) -> Table:
    rows = rng.integers(0, size(cohort), size(cohort))
    return {name: cohort[name][rows] for name in OUTCOME}


def copula(cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """A Gaussian copula of the seven numbers, the rest by their shares, and outcomes from two Cox models.

    Reference: the contest's own defence; its Cox models have a penalty, these have none. Where one of them
    cannot be estimated, outcomes are drawn from those of the cohort.
    """
    n = size(cohort)
    ranks = np.argsort(np.argsort(matrix(cohort), axis=0, kind="stable"), axis=0, kind="stable") + 1
    sizes, axes = eigen(correlations(quantile(ranks / (n + 1))))
    spread = axes * np.sqrt(np.maximum(sizes, SMALLEST_AXIS))
    chances = cdf(product(rng.standard_normal((n, len(NUMBERS))), spread.T))
    made: Table = {name: cohort[name][rng.integers(0, n, n)] for name in ("sex", "smoking", "prefecture")}
    for place, name in enumerate(NUMBERS):
        made[name] = _legal(name, _quantiles(cohort[name], chances[:, place]))
    if params.get("outcome") == "cox":
        try:
            return made | _modelled_outcome(cohort, made, rng)
        except NotEstimable:
            pass
    return made | _any_outcome(cohort, rng)


def _modelled_outcome(cohort: Columns, made: Table, rng: np.random.Generator) -> Table:
    """What comes first of onset and death, each by its own Cox model; nothing within ten years is 10."""
    ill, dead = (_first_times(cohort, made, name, rng) for name in ("onset", "death"))
    time = np.minimum(np.minimum(ill, dead), HORIZON)
    happens = np.minimum(ill, dead) <= HORIZON
    onset = happens & (ill <= dead)
    return {"time": time, "onset": onset.astype(np.int64), "death": (happens & ~onset).astype(np.int64)}


def _first_times(cohort: Columns, made: Table, event: str, rng: np.random.Generator) -> Floats:
    """Times at which the cumulative hazard (Breslow 1972) reaches an exponential draw; infinite if never."""
    rows, time = covariates(cohort), np.asarray(cohort["time"], dtype=float)
    model = cox(rows, time, cohort[event])
    centre = rows.mean(axis=0)
    risks = exp(product(rows - centre, model.coefficients))
    order = np.argsort(time, kind="stable")
    at_risk = np.cumsum(risks[order][::-1])[::-1]
    first = np.searchsorted(time[order], time[order], side="left")
    events = cohort[event][order] == 1
    cumulative = np.cumsum(1 / at_risk[first][events])
    needed = -log(1 - rng.random(size(made))) / exp(product(covariates(made) - centre, model.coefficients))
    places = np.searchsorted(cumulative, needed, side="left")
    return np.append(time[order][events], np.inf)[places]


METHODS: Mapping[str, Method] = {
    "unchanged": unchanged,
    "swap": swap,
    "noise": noise,
    "independent": independent,
    "copula": copula,
}


def entry(name: str, cohort: Columns, params: Mapping[str, Any], rng: np.random.Generator) -> Table:
    """The release that a method makes, its own or one for any table, its rows in random order."""
    seen = {column: cohort[column] for column in RELEASED}
    made = METHODS[name](seen, params, rng) if name in METHODS else hidden(name, seen, params, rng)
    return chosen({column: made[column] for column in RELEASED}, rng.permutation(size(cohort)))
