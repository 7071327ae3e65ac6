"""How far the data user's estimates move because of protection: MAPD and MSE (equation 9, Table 5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.store_panel.scanpro import Effects


@dataclass(frozen=True)
class InformationLoss:
    """Mean absolute percentage deviation (a share) and mean squared error of the estimates; 0 is best.

    ``beta`` are the elasticities, ``gamma`` the log multipliers ln γ, ``both`` all of them together.
    """

    mapd_beta: float
    mse_beta: float
    mapd_gamma: float
    mse_gamma: float
    mapd_both: float
    mse_both: float


def information_loss(estimated: Effects, true: Effects) -> InformationLoss:
    """MAPD = mean |θ̂ − θ| / |θ| and MSE = mean (θ̂ − θ)², over brands, and promotions for ln γ.

    Promotions enter by ln γ, not γ: only then does Table 4 of the paper give the market-level row of its
    Table 5. A true effect of exactly 0 has no percentage and is left out of MAPD. Without promotions the
    gamma values are 0.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017.

    >>> information_loss(Effects.made([-1.0]), Effects.made([-2.0])).mapd_beta
    0.5
    """
    if estimated.log_multiplier.shape != true.log_multiplier.shape:
        raise ValueError(
            f"Both estimates must have the same brands and promotions. Got {estimated.log_multiplier.shape} "
            f"and {true.log_multiplier.shape}."
        )
    beta = _deviations(estimated.elasticity, true.elasticity)
    gamma = _deviations(estimated.log_multiplier.ravel(), true.log_multiplier.ravel())
    both = tuple(np.concatenate(pair) for pair in zip(beta, gamma, strict=True))
    means = [float(values.mean()) if len(values) else 0.0 for pair in (beta, gamma, both) for values in pair]
    return InformationLoss(*means)


def _deviations(estimated: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    known = true != 0
    return np.abs(estimated - true)[known] / np.abs(true[known]), (estimated - true) ** 2
