"""Normal, Poisson and logistic regression with draws from their posterior predictive distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anonymizers.engines.masking.grid import Floats
from anonymizers.release import CannotProtect
from arithmetic import eigen, exp, gram, log, product, pseudo_inverse, rank

MAX_STEPS = 100


@dataclass(frozen=True, eq=False)
class Regression:
    name: str
    family: str
    beta: Floats
    covariance: Floats
    """Inverse information of β; for the normal family to be multiplied by σ²."""
    rest: float
    freedom: int


def fit_regression(name: str, family: str, values: Floats, terms: Floats) -> Regression:
    """Maximum likelihood by Newton's method; `CannotProtect` where it does not fit or does not converge.

    >>> x = np.array([0.0, 1.0, 2.0, 3.0])
    >>> fit_regression("y", "normal", 2 * x, np.column_stack([np.ones(4), x])).beta.round(6).tolist()
    [0.0, 2.0]
    """
    if family == "logistic" and not np.isin(values, (0, 1)).all():
        raise CannotProtect(f"A logistic model of {name!r} needs the values 0 and 1. Got others as well.")
    if family == "poisson" and values.min() < 0:
        raise CannotProtect(f"A Poisson model of {name!r} needs values from 0. Got a negative one.")
    freedom = len(values) - rank(terms)
    if freedom < 1:
        raise CannotProtect(
            f"A model of {name!r} with {terms.shape[1]} terms needs more than {len(values)} rows."
        )
    if family == "normal":
        inverse = pseudo_inverse(gram(terms))
        beta = product(inverse, product(terms.T, values))
        return Regression(
            name, family, beta, inverse, float(((values - product(terms, beta)) ** 2).sum()), freedom
        )
    beta = np.zeros(terms.shape[1])
    beta[0] = log(values.mean()) if family == "poisson" else 0.0
    for _ in range(MAX_STEPS):
        mean, variance = _moments(family, product(terms, beta))
        inverse = pseudo_inverse(gram(terms, variance))
        step = product(inverse, product(terms.T, values - mean))
        # A long first step of Newton's method can overshoot to infinity.
        reach = float(np.abs(product(terms, step)).max())
        beta = beta + step / max(1.0, reach / 2)
        if reach < 1e-8:
            return Regression(name, family, beta, inverse, 0.0, freedom)
    raise CannotProtect(
        f"The {family} model of {name!r} does not converge: the other columns separate its values."
    )


def regression_draws(model: Regression, terms: Floats, rng: np.random.Generator) -> Floats:
    """One draw of the parameters from their posterior, then one value per row from the model."""
    variance = model.rest / rng.chisquare(model.freedom) if model.family == "normal" else 1.0
    sizes, axes = eigen(model.covariance * variance)
    beta = model.beta + product(axes, np.sqrt(np.clip(sizes, 0, None)) * rng.normal(size=len(sizes)))
    linear = product(terms, beta)
    if model.family == "normal":
        return linear + np.sqrt(variance) * rng.normal(size=len(linear))
    mean, _ = _moments(model.family, linear)
    if model.family == "poisson":
        # Beyond this mean a Poisson draw does not fit 64 bits.
        return rng.poisson(np.minimum(mean, 1e15)).astype(float)
    return (rng.random(len(mean)) < mean).astype(float)


def _moments(family: str, linear: Floats) -> tuple[Floats, Floats]:
    """Mean and variance at a linear predictor under the canonical link."""
    if family == "poisson":
        mean = exp(np.minimum(linear, 300))
        return mean, mean
    mean = 1 / (1 + exp(-np.clip(linear, -300, 300)))
    return mean, mean * (1 - mean)
