"""One brand: sample the posterior, diagnose the chains, take one draw, make the synthetic response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from anonymizers.engines.bayes_synthetic.convergence import effective_draws, split_rhat
from anonymizers.engines.bayes_synthetic.gibbs import Draws, sample
from anonymizers.engines.bayes_synthetic.model import FlexiblePrior, Floats, Sums
from arithmetic import exp, log, product
from datasets.store_panel import StorePanel
from datasets.tables import Integers

TRACE_POINTS = 200
"""At most this many draws of a chain are kept for the trace plot."""
LOG_LIMIT = 690.0
"""exp of more than this is not a finite number."""


@dataclass(frozen=True, eq=False)
class Settings:
    kappa: float
    group_kappa: Floats
    chains: int
    burn_in: int
    draws: int


@dataclass(frozen=True, eq=False)
class Synthetic:
    """The synthetic response of one brand and the diagnostics of its chains."""

    response: Floats
    draws: Draws
    rhat: float
    effective: float

    def report(self, panel: StorePanel) -> dict[str, Any]:
        """Diagnostics for the provider as JSON values: posterior means, deviations, a thinned trace."""
        named = self.scalars(panel)
        step = max(1, -(-self.draws.tau2.shape[1] // TRACE_POINTS))
        return {
            "rhat": self.rhat,
            "effective_draws": self.effective,
            "mean": {name: float(values.mean()) for name, values in named.items()},
            "deviation": {name: float(values.std()) for name, values in named.items()},
            "trace": {name: np.round(values[:, ::step], 6).tolist() for name, values in named.items()},
        }

    def scalars(self, panel: StorePanel) -> dict[str, Floats]:
        names = ("intercept", "price", *panel.promotion_names)
        named = {name: self.draws.fixed[..., place] for place, name in enumerate(names)}
        named["tau2"] = self.draws.tau2
        for group in range(self.draws.sigma2.shape[2]):
            name = "sigma2_u" if self.draws.sigma2.shape[2] == 1 else f"sigma2_u_{group + 1}"
            named[name] = self.draws.sigma2[..., group]
        return named


def synthesize(
    panel: StorePanel, rows: Integers, group: Integers, settings: Settings, rng: np.random.Generator
) -> Synthetic:
    """Sample the posterior of the brand in ``rows`` and draw its response once from one draw.

    ``group[i]`` is the group of subject i. Random effects are numbered by the subjects that occur.
    """
    present, subject = np.unique(panel.subject.codes[rows], return_inverse=True)
    predictors = panel.predictors[rows]
    sums = Sums.of(panel.log_response[rows], predictors, subject, group[present])
    prior = FlexiblePrior(settings.kappa, settings.group_kappa)
    draws = sample(sums, prior, rng, chains=settings.chains, burn_in=settings.burn_in, draws=settings.draws)
    rhat, effective = diagnose(draws)
    chain, draw = int(rng.integers(settings.chains)), int(rng.integers(settings.draws))
    fixed = draws.fixed[chain, draw]
    centre = fixed[0] + product(predictors, fixed[1:]) + draws.random[chain, draw][subject]
    drawn = centre + np.sqrt(draws.tau2[chain, draw]) * rng.standard_normal(len(rows))
    return Synthetic(exp(np.clip(drawn, -LOG_LIMIT, LOG_LIMIT)), draws, rhat, effective)


def diagnose(draws: Draws) -> tuple[float, float]:
    """The largest split R-hat and the smallest effective sample size over all parameters, u included.

    Variances enter by their logarithms, whose distributions have lighter tails.
    """
    parts = [draws.fixed, draws.random, log(draws.tau2)[..., None], log(draws.sigma2)]
    rhat = max(float(split_rhat(part).max()) for part in parts)
    return rhat, min(float(effective_draws(part).min()) for part in parts)
