"""Confidential columns masked one after another by odds-ratio models, Qian and Xie (1) and 4.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from anonymizers.engines.masking.columns import Predictor, Prepared, Secret, members, two_valued
from anonymizers.engines.masking.draw import draw_codes, expected_distance
from anonymizers.engines.masking.grid import Floats
from anonymizers.engines.masking.odds_ratio import OddsRatio, fit_odds_ratio
from anonymizers.engines.masking.orders import (
    chosen_orders,
    given_orders,
    parse_order,
    powers,
    refuse_unknown_pairs,
)
from anonymizers.release import CannotProtect
from arithmetic import least_squares, product

Rows = npt.NDArray[np.int64]
NO_DISTANCE = 1e-3
"""An EMPD below this share of that of independent values publishes the originals: refused."""
ROUNDING = 1e-8
"""A column that differs by no more of its range from a combination of others is that combination."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """The model of one secret with the terms at which it was fitted."""

    secret: Secret
    model: OddsRatio
    orders: tuple[int, ...]
    names: tuple[str, ...]
    codes: Rows
    terms: Floats

    @property
    def separates(self) -> bool:
        """Whether the fitted predictor orders the rows just as their values do.

        Then no coefficients are the likeliest: the larger they are, the closer every draw is to its original.
        """
        predictor, n = product(self.terms, self.model.gamma), len(self.model.points)
        low, high = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(low, self.codes, predictor)
        np.maximum.at(high, self.codes, predictor)
        return bool((high[:-1] < low[1:]).all())


@dataclass(frozen=True, eq=False)
class Masked:
    """One secret masked: its fits and EMPD, (8), one per subset of rows, and the cell drawn for every row."""

    fits: tuple[Fitted, ...]
    distances: tuple[float, ...]
    parts: tuple[Rows, ...]
    cells: Floats

    def donors(self, rng: np.random.Generator) -> Rows:
        """For every row a random row of its subset whose value is in the drawn cell."""
        donors = np.empty(len(self.cells), dtype=np.int64)
        for fit, part in zip(self.fits, self.parts, strict=True):
            codes = np.searchsorted(fit.model.points, self.cells[part])
            donors[part] = part[members(fit.codes, codes, rng)]
        return donors


def mask_in_sequence(
    prepared: Prepared, order: str, subsets: int, rng: np.random.Generator
) -> tuple[Masked, ...]:
    """Mask every secret given the predictors and the secrets before it.

    The model of a secret is fitted on the originals and drawn from given the *masked* earlier secrets. With
    more than one subset the rows are split at random and every part is masked by itself (4.3.4).
    """
    n = len(prepared.secrets[0].values)
    if n < 2 * subsets:
        raise CannotProtect(f"{n} rows cannot be split into {subsets} subsets of at least two rows.")
    parts = np.array_split(rng.permutation(n) if subsets > 1 else np.arange(n), subsets)
    cells = [np.empty(n) for _ in prepared.secrets]
    fits: list[list[Fitted]] = [[] for _ in prepared.secrets]
    distances: list[list[float]] = [[] for _ in prepared.secrets]
    for part in parts:
        within = prepared if subsets == 1 else _restricted(prepared, part)
        for place, (fitted, codes, empd) in enumerate(mask_part(within, order, rng)):
            fits[place].append(fitted)
            distances[place].append(empd)
            cells[place][part] = fitted.model.points[codes]
    each = zip(fits, distances, cells, strict=True)
    return tuple(Masked(tuple(fit), tuple(empd), tuple(parts), cell) for fit, empd, cell in each)


def fit_in_sequence(prepared: Prepared, order: str, shares: Floats | None = None) -> list[Fitted]:
    """The models of all secrets, each given the predictors and the secrets before it."""
    refuse_unknown_pairs(order, [s.name for s in prepared.secrets], [p.name for p in prepared.given])
    known = list(prepared.given)
    fitted = []
    for secret in prepared.secrets:
        fitted.append(_fit(secret, known, order, shares))
        known.append(Predictor(secret.name, secret.cells, dummy=two_valued(secret.cells)))
    return fitted


def draw_terms(fitted: Fitted, prepared: Prepared, drawn: Sequence[Floats]) -> Floats:
    """The terms of a secret's model with the masked earlier secrets in place of the originals."""
    originals = [p.values for p in prepared.given] + [s.cells for s in prepared.secrets[: len(drawn)]]
    values = [p.values for p in prepared.given] + list(drawn)
    terms = powers(values, [float(v.mean()) for v in originals], fitted.orders)
    return terms if terms.size else np.zeros((len(fitted.codes), 0))


def mask_part(
    prepared: Prepared, order: str, rng: np.random.Generator, shares: Floats | None = None
) -> list[tuple[Fitted, Rows, float]]:
    """Every secret's model, the codes drawn from it, and the expected distance of such a draw."""
    drawn: list[Floats] = []
    result = []
    for fitted in fit_in_sequence(prepared, order, shares):
        terms = draw_terms(fitted, prepared, drawn)
        codes = draw_codes(fitted.model, terms, rng)
        values = fitted.secret.values
        empd = expected_distance(fitted.model, terms, fitted.codes, values, fitted.secret.order)
        if fitted.separates or empd <= NO_DISTANCE * mean_difference(values):
            raise _determined(fitted.secret.name)
        drawn.append(fitted.model.points[codes])
        result.append((fitted, codes, empd))
    return result


def _fit(secret: Secret, known: Sequence[Predictor], order: str, shares: Floats | None) -> Fitted:
    values = [predictor.values for predictor in known]
    centres = [float(column.mean()) for column in values]

    def terms_of(orders: Sequence[int]) -> Floats:
        terms = powers(values, centres, orders)
        return terms if terms.size else np.zeros((len(secret.cells), 0))

    wanted = parse_order(order)
    orders = given_orders(1 if wanted is None else wanted, secret.name, known)
    if combines(terms_of(orders), secret.cells):
        raise _determined(secret.name)
    if wanted is None:
        orders, model = chosen_orders(secret.cells, known, terms_of)
    else:
        model = fit_odds_ratio(secret.cells, terms_of(orders), shares)
    codes = np.searchsorted(model.points, secret.cells)
    return Fitted(secret, model, tuple(orders), tuple(p.name for p in known), codes, terms_of(orders))


def combines(terms: Floats, values: Floats) -> bool:
    """Whether a column is a constant plus a combination of the terms, up to rounding.

    >>> combines(np.array([[1.0], [2.0], [4.0]]), np.array([5.0, 7.0, 11.0]))
    True
    """
    plain = np.column_stack([np.ones(len(values)), terms])
    scaled = plain / np.maximum(np.abs(plain).max(axis=0), 1e-300)
    rest = values - product(scaled, least_squares(scaled, values))
    return bool(np.abs(rest).max() <= ROUNDING * np.ptp(values))


def _determined(name: str) -> CannotProtect:
    return CannotProtect(
        f"The given columns determine {name!r}: masked values would equal the originals. Make the columns "
        "that predict it confidential."
    )


def _restricted(prepared: Prepared, rows: Rows) -> Prepared:
    secrets = tuple(secret.take(rows) for secret in prepared.secrets)
    given = tuple(replace(p, values=p.values[rows]) for p in prepared.given)
    for secret in secrets:
        if secret.cells.min() == secret.cells.max():
            raise CannotProtect(
                f"A random subset holds one value of {secret.name!r} only. Use fewer subsets."
            )
    return Prepared(secrets, given, prepared.warnings)


def masking_report(masked: Sequence[Masked], prepared: Prepared, cutoff: float) -> dict[str, Any]:
    """The report: every fit, its convergence, the expected distance, and what to worry about."""
    warnings = list(prepared.warnings)
    columns = {}
    for one in masked:
        fits = one.fits
        sizes = [len(fit.codes) for fit in fits]
        secret = fits[0].secret.name
        values = np.concatenate([fit.secret.values for fit in fits])
        empd = float(np.average(one.distances, weights=sizes))
        share = empd / mean_difference(values)
        distances = {"empd": empd, "empd_in_sd": empd / float(values.std()), "empd_share": share}
        columns[secret] = _column_report(fits) | distances
        warnings += _warnings(secret, fits, share, cutoff)
    return {"columns": columns, "notes": warnings}


def _column_report(fits: Sequence[Fitted]) -> dict[str, Any]:
    first = fits[0]
    gamma = iter(first.model.gamma.tolist())
    return {
        "values": max(len(fit.model.points) for fit in fits),
        "orders": dict(zip(first.names, first.orders, strict=True)),
        "gamma": {
            name: [next(gamma) for _ in range(order)]
            for name, order in zip(first.names, first.orders, strict=True)
        },
        "log_likelihood": float(sum(fit.model.log_likelihood for fit in fits)),
        "iterations": int(sum(fit.model.iterations for fit in fits)),
        "converged": all(fit.model.converged for fit in fits),
        "remaining": float(max(fit.model.remaining for fit in fits)),
    }


def _warnings(secret: str, fits: Sequence[Fitted], share: float, cutoff: float) -> list[str]:
    found = []
    if not all(fit.model.converged for fit in fits):
        found.append(f"The model of {secret!r} did not converge; lower its order or round its values.")
    if any(fit.model.rank < fit.terms.shape[1] for fit in fits):
        found.append(f"Columns given to {secret!r} are collinear: its coefficients are not unique.")
    if share < cutoff:
        found.append(
            f"The expected distance of {secret!r} is only {share:.3g} of that between independent values, "
            f"below the cutoff {cutoff:g}: the given columns predict it. Consider masking those columns too."
        )
    return found


def mean_difference(values: Floats) -> float:
    """The mean of |x − x′| over all pairs of values, each with itself too: EMPD where nothing predicts x.

    >>> mean_difference(np.array([0.0, 1.0]))
    0.5
    """
    n = len(values)
    return float(2 * product(2 * np.arange(1, n + 1) - n - 1, np.sort(values)) / n**2)
