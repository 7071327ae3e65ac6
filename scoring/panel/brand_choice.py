"""Hierarchical Bayes multinomial logit of brand choices, and what protection does to its coefficients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic import product, solve
from scoring.panel.brand_metrics import mapd
from scoring.panel.choice_data import ChoiceData

Floats = npt.NDArray[np.float64]

SCALE = 2.93
"""Roberts and Rosenthal's scaling of a random walk, over the root of the number of coefficients."""
SHARED = 0.1
"""How much of the pooled likelihood stabilises a panelist's own when its curvature is computed."""


@dataclass(frozen=True, eq=False)
class BrandChoice:
    """Posterior of the model, by coefficient in the order of ``names``; panelists in the order of ids."""

    names: tuple[str, ...]
    mean: Floats
    """Posterior mean of μ, the mean over the population."""
    deviation: Floats
    """Posterior standard deviation of μ."""
    error: Floats
    """Monte Carlo standard error of ``mean``."""
    covariance: Floats
    """Posterior mean of V."""
    panelists: Floats
    """Posterior mean of every panelist's coefficients."""
    draws: Floats
    """The draws of μ."""
    variances: Floats
    """The draws of the diagonal of V."""
    accepted: float
    mcfadden_r2: float

    def coefficient(self, name: str) -> float:
        return float(self.mean[self.names.index(name)])

    def as_document(self) -> dict[str, Any]:
        """The summaries of Table 5: mean over panelists, posterior mean and deviation of μ, R²."""
        average = self.panelists.mean(axis=0)
        return {
            "coefficients": {
                name: {
                    "mean": float(self.mean[i]),
                    "deviation": float(self.deviation[i]),
                    "monte_carlo_error": float(self.error[i]),
                    "mean_of_panelists": float(average[i]),
                }
                for i, name in enumerate(self.names)
            },
            "mcfadden_r2": self.mcfadden_r2,
            "accepted": self.accepted,
            "draws": len(self.draws),
            "panelists": len(self.panelists),
        }


def brand_choice(
    data: ChoiceData, rng: np.random.Generator, draws: int = 4000, burn_in: int = 2000
) -> BrandChoice:
    """Sample the posterior of the hierarchical multinomial logit of Appendix C.

    Panelist i chooses brand j on trip t with probability ∝ exp(α_ij + β_iᵀ x_jt), α_i0 = 0, and the
    coefficients θ_i = (α_i, β_i) are N(μ, V). Priors are conjugate, V ~ IW(d + 3, (d + 3) I) and
    μ | V ~ N(0, 100 V) with d coefficients: those of R's ``bayesm::rhierMnlRwMixture`` with one component.
    (The paper writes normal errors ε but estimates by that program, which is the logit.)

    Each θ_i takes a random-walk Metropolis step with covariance s² (H_i + V⁻¹)⁻¹, s = 2.93/√d, where H_i is
    the curvature of its log-likelihood, stabilised by the pooled one; then μ and V are drawn given all θ.

    McFadden's R² = 1 − L(θ̄) / L(0) compares the log-likelihood at everybody's posterior mean with that of
    brands chosen blindly. Errors of the means are from batch means.

    Reference: Allenby, Rossi, "Marketing models of consumer heterogeneity" (1998); Li, Schneider, Yu, Gupta,
    "Reidentification Risk in Panel Data" (2022), Appendix C and section 5.4.
    """
    from scoring.panel.choice_kernel import run_chain

    if draws < 20 or burn_in < 0:
        raise ValueError(f"A chain needs at least 20 draws and a burn-in >= 0. Got {draws} and {burn_in}.")
    size = len(data.names)
    start, information = _curvatures(data)
    freedom = size + 3.0
    centres, variances, panelists, covariance, accepted = run_chain(
        rng, start, information, data.begins, data.choice, data.mix, draws, burn_in,
        freedom, freedom, 0.01, SCALE / math.sqrt(size),
    )  # fmt: skip
    return BrandChoice(
        names=data.names,
        mean=centres.mean(axis=0),
        deviation=centres.std(axis=0, ddof=1),
        error=batch_error(centres),
        covariance=covariance,
        panelists=panelists,
        draws=centres,
        variances=variances,
        accepted=accepted,
        mcfadden_r2=mcfadden_r2(data, panelists),
    )


def _curvatures(data: ChoiceData) -> tuple[Floats, Floats]:
    """Every panelist's start and its curvature there: the mode of its own and a little pooled likelihood."""
    from scoring.panel.choice_kernel import score_and_information

    size, n = len(data.names), data.n_panelists
    pooled = np.zeros(size)
    for _ in range(30):
        gradient, whole = score_and_information(pooled, data.mix, data.choice, 0, data.n_trips)
        step = solve(whole + 1e-6 * np.eye(size), gradient)
        pooled += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < 1e-8:
            break
    start, information = np.empty((n, size)), np.empty((n, size, size))
    for i in range(n):
        first, last = int(data.begins[i]), int(data.begins[i + 1])
        prior = SHARED * whole * (last - first) / data.n_trips + 1e-6 * np.eye(size)
        theta = pooled.copy()
        for _ in range(20):
            gradient, own = score_and_information(theta, data.mix, data.choice, first, last)
            step = solve(own + prior, gradient - product(prior, theta - pooled))
            theta += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
            if np.abs(step).max() < 1e-4:
                break
        start[i], information[i] = theta, own + prior
    return start, information


def mcfadden_r2(data: ChoiceData, panelists: Floats) -> float:
    """1 − log-likelihood at these coefficients / that of equally likely brands."""
    from scoring.panel.choice_kernel import log_likelihood

    found = math.fsum(
        log_likelihood(panelists[i], data.mix, data.choice, data.begins[i], data.begins[i + 1])
        for i in range(data.n_panelists)
    )
    return 1.0 - found / (-data.n_trips * math.log(len(data.brands)))


def batch_error(draws: Floats) -> Floats:
    """Standard error of the mean of dependent draws, by the means of 20 long batches.

    >>> independent = np.random.default_rng(1).normal(size=(10_000, 1))
    >>> 0.003 < float(batch_error(independent)[0]) < 0.018  # 1 / sqrt(10,000), known to a sixth
    True
    """
    batches, width = 20, len(draws) // 20
    means = draws[: batches * width].reshape(batches, width, -1).mean(axis=1)
    return means.std(axis=0, ddof=1) / math.sqrt(batches)


def coefficient_mapd(original: BrandChoice, protected: BrandChoice, names: tuple[str, ...]) -> float:
    """MAPD of some coefficients, in percent; section 5.4 takes those of the marketing mix."""
    return mapd(
        [original.coefficient(name) for name in names], [protected.coefficient(name) for name in names]
    )
