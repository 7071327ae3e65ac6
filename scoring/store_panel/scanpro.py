"""The data user's model: SCAN*PRO with fixed store effects, by brand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arithmetic import exp, least_squares, log, product
from datasets.store_panel import Floats, StorePanel
from datasets.tables import Integers


@dataclass(frozen=True, eq=False)
class Effects:
    """Own-price elasticities and log promotion multipliers: ``elasticity[j]``, ``log_multiplier[j, l]``."""

    brands: tuple[str, ...]
    promotions: tuple[str, ...]
    elasticity: Floats
    log_multiplier: Floats
    adjusted_r2: Floats

    @property
    def multiplier(self) -> Floats:
        """γ: the factor by which a promotion lifts sales."""
        return exp(self.log_multiplier)

    @classmethod
    def made(
        cls, elasticity: Sequence[float], multiplier: Sequence[Sequence[float]] = (), names: str = ""
    ) -> Effects:
        """From plain numbers, for example printed ones."""
        values = np.asarray(elasticity, dtype=np.float64)
        lifts = np.asarray(multiplier, dtype=np.float64).reshape(len(values), -1)
        brands = tuple(names.split(",")) if names else tuple(map(str, range(1, len(values) + 1)))
        promotions = tuple(map(str, range(1, lifts.shape[1] + 1)))
        return cls(brands, promotions, values, log(lifts), np.full(len(values), np.nan))


def scanpro(panel: StorePanel) -> Effects:
    """Fit S_ijt = α_ij P_ijt^β_j Π_l γ_lj^D_lijt e^ε by least squares on logarithms (model 1), by brand.

    Store effects α_ij are fixed: their means are taken out of all variables. A promotion that a brand never
    varies within a store has no effect that data could show; the least-squares solution of minimum norm gives
    it γ = 1. Adjusted R² counts the store effects as parameters.

    Reference: P. Leeflang et al., "Building Models for Marketing Decisions", 2013; M. J. Schneider et al.,
    "A Flexible Method for Protecting Marketing Data", 2017, Section 2.1.
    """
    predictors, response = panel.predictors, panel.log_response
    found = []
    for brand in range(panel.brand.n_labels):
        rows = np.flatnonzero(panel.brand.codes == brand)
        found.append(_fit(response[rows], predictors[rows], panel.subject.codes[rows].astype(np.int64)))
    coefficients = np.stack([part[0] for part in found])
    return Effects(
        brands=tuple(map(str, panel.brand.labels)),
        promotions=panel.promotion_names,
        elasticity=coefficients[:, 0],
        log_multiplier=coefficients[:, 1:],
        adjusted_r2=np.array([part[1] for part in found]),
    )


def _fit(y: Floats, x: Floats, subject: Integers) -> tuple[Floats, float]:
    """Coefficients of the within-store regression and its adjusted R²."""
    _, code = np.unique(subject, return_inverse=True)
    within_y, within_x = _centred(y[:, None], code)[:, 0], _centred(x, code)
    coefficients = least_squares(within_x, within_y)
    left = float(((within_y - product(within_x, coefficients)) ** 2).sum())
    total = float(((y - y.mean()) ** 2).sum())
    free = len(y) - int(code.max()) - 1 - x.shape[1]
    if free <= 0 or total == 0:
        return coefficients, float("nan")
    return coefficients, 1 - (left / free) / (total / (len(y) - 1))


def _centred(values: Floats, code: Integers) -> Floats:
    count = np.bincount(code)
    means = [np.bincount(code, weights=column) / count for column in values.T]
    return values - np.column_stack(means)[code] if values.shape[1] else values
