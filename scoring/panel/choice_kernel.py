"""The sampler of the hierarchical Bayes multinomial logit: random-walk Metropolis within Gibbs, compiled.

A panelist's coefficients θ are the constants of brands 1 … J − 1 (brand 0 has none) and then the K effects of
the mix, so the utility of brand j on trip t is θ_j + Σ_k θ_{J−1+k} mix[t, j, k].
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from arithmetic.elementary import exp_of, log_of
from arithmetic.matrices import factor_of, solution_of
from arithmetic.products import dot_of, product_of
from datasets.tables import Integers

Floats = npt.NDArray[np.float64]


@njit(cache=True)
def log_likelihood(theta: Floats, mix: Floats, choice: Integers, first: int, last: int) -> float:
    """Σ over the trips of a panelist of the log probability of the brand chosen."""
    brands, n_mix = mix.shape[1], mix.shape[2]
    total = 0.0
    utility = np.empty(brands)
    for t in range(first, last):
        top = -np.inf
        for j in range(brands):
            value = theta[j - 1] if j > 0 else 0.0
            for m in range(n_mix):
                value += theta[brands - 1 + m] * mix[t, j, m]
            utility[j] = value
            top = max(top, value)
        whole = 0.0
        for j in range(brands):
            whole += exp_of(utility[j] - top)
        total += utility[choice[t]] - top - log_of(whole)
    return total


@njit(cache=True)
def score_and_information(
    theta: Floats, mix: Floats, choice: Integers, first: int, last: int
) -> tuple[Floats, Floats]:
    """Gradient of the log-likelihood, and minus its second derivatives."""
    brands, n_mix = mix.shape[1], mix.shape[2]
    size = brands - 1 + n_mix
    gradient, information = np.zeros(size), np.zeros((size, size))
    design = np.zeros((brands, size))
    chance = np.empty(brands)
    for t in range(first, last):
        for j in range(brands):
            for m in range(n_mix):
                design[j, brands - 1 + m] = mix[t, j, m]
            if j > 0:
                design[j, j - 1] = 1.0
            chance[j] = dot_of(design[j], theta)
        top = chance.max()
        for j in range(brands):
            chance[j] = exp_of(chance[j] - top)
        chance /= chance.sum()
        mean = product_of(chance.reshape(1, brands), design)[0]
        gradient += design[choice[t]] - mean
        for j in range(brands):
            apart = design[j] - mean
            information += chance[j] * np.outer(apart, apart)
    return gradient, information


@njit(cache=True)
def propose(rng: np.random.Generator, theta: Floats, precision: Floats, scale: float, out: Floats) -> None:
    """A random step with covariance scale² · precision⁻¹, by the Cholesky factor of the precision."""
    size = len(theta)
    root = precision.copy()
    for i in range(size):
        for j in range(i + 1):
            value = root[i, j]
            for m in range(j):
                value -= root[i, m] * root[j, m]
            root[i, j] = np.sqrt(value) if i == j else value / root[j, j]
    for i in range(size - 1, -1, -1):
        value = rng.standard_normal()
        for m in range(i + 1, size):
            value -= root[m, i] * (out[m] - theta[m]) / scale
        out[i] = theta[i] + scale * value / root[i, i]


@njit(cache=True)
def population(
    rng: np.random.Generator, thetas: Floats, freedom: float, spread: float, weight: float
) -> tuple[Floats, Floats]:
    """A draw of μ and V⁻¹ given all θ: V ~ IW(freedom, spread · I), μ | V ~ N(0, V / weight) a priori."""
    n, size = thetas.shape
    mean = thetas.sum(axis=0) / n
    apart = thetas - mean
    scatter = product_of(apart.T, apart) + np.outer(mean, mean) * (n * weight / (n + weight))
    for i in range(size):
        scatter[i, i] += spread
    factor_of(scatter)
    root = solution_of(scatter, np.eye(size)).T
    bartlett = np.zeros((size, size))
    for i in range(size):
        bartlett[i, i] = np.sqrt(rng.chisquare(freedom + n - i))
        for j in range(i):
            bartlett[i, j] = rng.standard_normal()
    factor = product_of(root, bartlett)
    precision = product_of(factor, factor.T)
    # With V⁻¹ = F Fᵀ, F⁻ᵀ z has covariance V.
    noise = np.empty((size, 1))
    for i in range(size):
        noise[i, 0] = rng.standard_normal()
    step = solution_of(factor.T, noise)[:, 0]
    return n * mean / (n + weight) + step / np.sqrt(n + weight), precision


@njit(cache=True)
def sweep(
    rng: np.random.Generator, thetas: Floats, known: Floats, centre: Floats, precision: Floats,
    information: Floats, scale: float, begins: Integers, choice: Integers, mix: Floats,
) -> int:  # fmt: skip
    """One Metropolis step for every panelist; ``known`` holds their log-likelihoods. How many moved."""
    n, size = thetas.shape
    proposal, moved = np.empty(size), 0
    for i in range(n):
        propose(rng, thetas[i], information[i] + precision, scale, proposal)
        found = log_likelihood(proposal, mix, choice, begins[i], begins[i + 1])
        gain = found - known[i]
        for a in range(size):
            for b in range(size):
                gain -= 0.5 * precision[a, b] * (
                    (proposal[a] - centre[a]) * (proposal[b] - centre[b])
                    - (thetas[i, a] - centre[a]) * (thetas[i, b] - centre[b])
                )  # fmt: skip
        if log_of(1.0 - rng.random()) < gain:
            thetas[i] = proposal
            known[i] = found
            moved += 1
    return moved


@njit(cache=True)
def run_chain(
    rng: np.random.Generator, start: Floats, information: Floats, begins: Integers, choice: Integers,
    mix: Floats, draws: int, burn_in: int, freedom: float, spread: float, weight: float, scale: float,
) -> tuple[Floats, Floats, Floats, Floats, float]:  # fmt: skip
    """Draws of μ and of the diagonal of V, means of θ and of V over the kept draws, share of moves."""
    thetas = start.copy()
    n, size = thetas.shape
    known = np.empty(n)
    for i in range(n):
        known[i] = log_likelihood(thetas[i], mix, choice, begins[i], begins[i + 1])
    centres, spreads = np.empty((draws, size)), np.empty((draws, size))
    mean_thetas, mean_covariance = np.zeros((n, size)), np.zeros((size, size))
    moved = 0
    for step in range(burn_in + draws):
        centre, precision = population(rng, thetas, freedom, spread, weight)
        count = sweep(rng, thetas, known, centre, precision, information, scale, begins, choice, mix)
        if step < burn_in:
            continue
        moved += count
        covariance = solution_of(precision, np.eye(size))
        centres[step - burn_in] = centre
        spreads[step - burn_in] = np.diag(covariance)
        mean_thetas += thetas / draws
        mean_covariance += covariance / draws
    return centres, spreads, mean_thetas, mean_covariance, moved / (draws * n)
