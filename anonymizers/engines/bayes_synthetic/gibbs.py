"""The Gibbs sampler of the random-effects model, from its full conditionals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from anonymizers.engines.bayes_synthetic.model import FlexiblePrior, Floats, Sums
from arithmetic import gram, log, log_determinant, product, solve
from arithmetic.elementary import exp_of
from arithmetic.products import product_of
from datasets.tables import Integers

BLOCK = 256
"""Iterations whose random numbers are drawn at once; more would only cost memory."""
NEGLIGIBLE = 30.0
SCALES = (0.03, 0.2, 1.0, 0.03, 0.2, 1.0)
"""Steps in ln σ_u that every iteration tries: small ones for sharp posteriors, large ones for flat."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Posterior draws of several chains after burn-in.

    ``fixed[c, m]`` is (μ, β, ln γ₁, …), ``random[c, m]`` is u, ``tau2[c, m]`` the residual variance and
    ``sigma2[c, m]`` the variances of the random effects, one per group.
    """

    fixed: Floats
    random: Floats
    tau2: Floats
    sigma2: Floats


def sample(
    sums: Sums,
    prior: FlexiblePrior,
    rng: np.random.Generator,
    *,
    chains: int = 4,
    burn_in: int = 500,
    draws: int = 1000,
    blocked: bool = True,
) -> Draws:
    """Draw from the posterior p(μ, β, ln γ, u, τ², σ²_u | S, P, D, κ).

    One iteration draws σ²_u | u ~ IG((n + ν₀)/2, (uᵀu + V₀)/2), then the coefficients, then
    τ² | … ~ IG(a₀ + N/2, b₀ + RSS/2). With ``blocked`` the coefficients come as one block:
    (μ, β, ln γ) | τ², σ²_u with u integrated out, then u | … ~ N(A_u, B_u); this has the same stationary
    distribution as drawing μ, (β, ln γ) and u one after the other from their full conditionals (Appendix A
    and equation 4, ``blocked=False``) but does not mix slowly along the ridge between μ and the mean of u. It
    also scales u and σ_u together by Metropolis steps, which leave the posterior as it is.

    Chains start apart: their variances and μ are spread over orders of magnitude around the data's. A strong
    prior makes two modes, u ≈ 0 and u ≈ the data, and no Gibbs chain crosses between them. A chain that
    burn-in leaves in a mode whose marginal log posterior (`log_posterior`) is lower by more than 30, so
    without measurable mass, is burnt in again from the best chain. Modes of comparable mass stay as they
    are found, and R-hat shows them.

    Reference: M. J. Schneider et al., "A Flexible Method for Protecting Marketing Data", 2017, Section 2.3
    and Appendix A.

    >>> from anonymizers.engines.bayes_synthetic.model import Sums
    >>> y, store = np.array([1.0, 1.2, 3.0, 3.1]), np.array([0, 0, 1, 1])
    >>> sums = Sums.of(y, np.zeros((4, 0)), store, np.array([0, 0]))
    >>> found = sample(sums, FlexiblePrior(0.01, np.array([0.01])), np.random.default_rng(1), draws=50)
    >>> found.fixed.shape, bool((found.random[..., 1] > found.random[..., 0]).mean() > 0.9)
    ((4, 50, 1), True)
    """
    runner = _Runner(sums, prior, rng, blocked)
    states = [runner.burnt_in(_start(sums, prior, number), burn_in) for number in range(chains)]
    heights = [log_posterior(sums, prior, state.variances) for state in states]
    best = int(np.argmax(heights))
    for number in range(chains):
        if heights[number] < heights[best] - NEGLIGIBLE:
            states[number] = runner.burnt_in(states[best].copy(), burn_in)
    parts = [runner.kept(state, draws) for state in states]
    return Draws(*(np.stack(columns) for columns in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class _State:
    """Where a chain is; the kernel updates it in place. ``variances`` is τ² and then every σ²_u."""

    fixed: Floats
    random: Floats
    variances: Floats

    def copy(self) -> _State:
        return _State(self.fixed.copy(), self.random.copy(), self.variances.copy())


def _start(sums: Sums, prior: FlexiblePrior, number: int) -> _State:
    mean = sums.zty[0] / sums.n_rows
    spread = max(sums.yty / sums.n_rows - mean**2, 1e-6)
    fixed = np.zeros(len(sums.ztz))
    fixed[0] = mean + np.sqrt(spread) * (number % 4 - 1.5)
    # Random effects that start at all of the data or at nothing are in the basins of both modes.
    random = (sums.y / sums.count - mean) * (1.0 - number % 2)
    scale = spread * 10.0 ** (number % 4 - 2)
    return _State(fixed, random, np.full(1 + len(prior.group_kappa), scale))


@dataclass(frozen=True, eq=False)
class _Runner:
    """Runs the kernel on blocks of random numbers."""

    sums: Sums
    prior: FlexiblePrior
    rng: np.random.Generator
    blocked: bool

    def burnt_in(self, state: _State, steps: int) -> _State:
        """The state after some steps."""
        self._run(state, steps, *self._room(0))
        return state

    def kept(self, state: _State, steps: int) -> tuple[Floats, Floats, Floats, Floats]:
        """All states of the next steps."""
        room = self._room(steps)
        self._run(state, steps, *room)
        return room

    def _room(self, steps: int) -> tuple[Floats, Floats, Floats, Floats]:
        sizes = len(self.sums.ztz), len(self.sums.count), len(self.prior.group_kappa)
        return (
            np.empty((steps, sizes[0])),
            np.empty((steps, sizes[1])),
            np.empty(steps),
            np.empty((steps, sizes[2])),
        )

    def _run(self, state: _State, steps: int, *kept: Floats) -> None:
        sums, prior, rng = self.sums, self.prior, self.rng
        n_fixed, n_subjects, n_groups = len(sums.ztz), len(sums.count), len(prior.group_kappa)
        precision = np.concatenate([[1.0 / prior.intercept_variance], np.full(n_fixed - 1, prior.kappa)])
        size = np.bincount(sums.group, minlength=n_groups)
        for begin in range(0, steps, BLOCK):
            count = min(BLOCK, steps - begin)
            _iterate(
                sums.ztz, sums.zty, sums.yty, sums.count, sums.z, sums.y, sums.group,
                precision, prior.v0, prior.nu0, prior.b0, self.blocked,
                state.fixed, state.random, state.variances,
                rng.standard_normal((count, n_fixed + n_subjects)),
                rng.standard_gamma(prior.a0 + sums.n_rows / 2, count),
                rng.standard_gamma((size + prior.nu0) / 2, (count, n_groups)),
                rng.standard_normal((count, n_groups, len(SCALES))),
                log(rng.random((count, n_groups, len(SCALES)))),
                begin, *kept,
            )  # fmt: skip


def log_posterior(sums: Sums, prior: FlexiblePrior, variances: Floats) -> float:
    """ln p(ln τ², ln σ²_u | y) + constant: the coefficients and u integrated out.

    With w_i = σ²/(τ² + n_i σ²) and A the precision of the coefficients:
    −½ [Σ_i (n_i − 1) ln τ² + ln(τ² + n_i σ²) + (yᵀy − Σ w_i y_i²)/τ² − rᵀA⁻¹r + ln|A|] + ln prior.
    """
    tau2, sigma2 = variances[0], variances[1:][sums.group]
    total = tau2 + sums.count * sigma2
    weight = sigma2 / total
    precision = np.concatenate([[1.0 / prior.intercept_variance], np.full(len(sums.ztz) - 1, prior.kappa)])
    matrix = (sums.ztz - gram(sums.z, weight)) / tau2 + np.diag(precision)
    right = (sums.zty - product(sums.z.T, weight * sums.y)) / tau2
    value = ((sums.count - 1) * log(tau2) + log(total)).sum()
    value += (sums.yty - product(weight, sums.y**2)) / tau2 - product(right, solve(matrix, right))
    value = -0.5 * (value + log_determinant(matrix))
    value -= prior.a0 * log(tau2) + prior.b0 / tau2
    return float(value - (prior.nu0 / 2 * log(variances[1:]) + prior.v0 / 2 / variances[1:]).sum())


@njit(cache=True, nogil=True)
def _iterate(
    ztz: Floats, zty: Floats, yty: float, count: Floats, z: Floats, y: Floats, group: Integers,
    precision: Floats, v0: Floats, nu0: Floats, b0: float, blocked: bool,
    fixed: Floats, random: Floats, variances: Floats,
    normal: Floats, gamma_tau: Floats, gamma_sigma: Floats, moves: Floats, chances: Floats,
    place: int, kept_fixed: Floats, kept_random: Floats, kept_tau2: Floats, kept_sigma2: Floats,
) -> None:  # fmt: skip
    """Some iterations; ``fixed``, ``random`` and ``variances`` (τ² first) hold the state and are updated."""
    n_fixed, n_subjects, n_groups = len(fixed), len(random), len(v0)
    squares, along, across = np.empty(n_groups), np.empty(n_groups), np.empty(n_groups)
    for step in range(len(gamma_tau)):
        squares[:] = v0
        for i in range(n_subjects):
            squares[group[i]] += random[i] ** 2
        for g in range(n_groups):
            variances[1 + g] = squares[g] / 2 / gamma_sigma[step, g]
        if blocked:
            _draw_fixed_marginal(ztz, zty, count, z, y, group, precision, variances, normal[step], fixed)
        else:
            _draw_fixed_conditional(ztz, zty, z, precision, variances, random, normal[step], fixed)
        tau2 = variances[0]
        rss = yty
        for a in range(n_fixed):
            rss -= 2 * fixed[a] * zty[a]
            for b in range(n_fixed):
                rss += fixed[a] * ztz[a, b] * fixed[b]
        along[:], across[:] = 0.0, 0.0
        for i in range(n_subjects):
            left = y[i]
            for a in range(n_fixed):
                left -= z[i, a] * fixed[a]
            ratio = 1 / (count[i] + tau2 / variances[1 + group[i]])
            random[i] = ratio * left + np.sqrt(tau2 * ratio) * normal[step, n_fixed + i]
            along[group[i]] += random[i] * left
            across[group[i]] += count[i] * random[i] ** 2
        if blocked:
            _rescale(along, across, v0, nu0, group, variances, random, moves[step], chances[step])
        for g in range(n_groups):
            rss += across[g] - 2 * along[g]
        variances[0] = (b0 + max(rss, 0.0) / 2) / gamma_tau[step]
        if len(kept_tau2) > 0:
            kept_fixed[place + step] = fixed
            kept_random[place + step] = random
            kept_tau2[place + step] = variances[0]
            kept_sigma2[place + step] = variances[1:]


@njit(cache=True, nogil=True)
def _rescale(
    along: Floats, across: Floats, v0: Floats, nu0: Floats, group: Integers,
    variances: Floats, random: Floats, moves: Floats, chances: Floats,
) -> None:  # fmt: skip
    """Metropolis steps that scale u and σ_u of a group together; updates the two sums as well.

    With η = u/σ_u held fixed, ln p(ln σ_u | η, …) = −(c²·across − 2c·along)/2τ² − ν₀ ln c − V₀/(2σ²c²) for a
    factor c: the other parametrisation of the model, interwoven with the first (Yu and Meng 2011). Without
    it σ_u mixes slowly where subjects have few rows.
    """
    for g in range(len(v0)):
        total = 1.0
        for k in range(len(SCALES)):
            shift = SCALES[k] * moves[g, k]
            c = exp_of(shift)
            gain = (across[g] * (1 - c * c) - 2 * along[g] * (1 - c)) / (2 * variances[0])
            gain += v0[g] / (2 * variances[1 + g]) * (1 - 1 / (c * c)) - nu0[g] * shift
            if chances[g, k] < gain:
                total *= c
                across[g] *= c * c
                along[g] *= c
                variances[1 + g] *= c * c
        if total != 1.0:
            for i in range(len(group)):
                if group[i] == g:
                    random[i] *= total


@njit(cache=True, nogil=True)
def _draw_fixed_marginal(
    ztz: Floats, zty: Floats, count: Floats, z: Floats, y: Floats, group: Integers,
    precision: Floats, variances: Floats, normal: Floats, fixed: Floats,
) -> None:  # fmt: skip
    """(μ, β, ln γ) with u integrated out: the rows of a subject have covariance τ²I + σ²_u 11ᵀ."""
    n_fixed, tau2 = len(fixed), variances[0]
    matrix, right = ztz / tau2, zty / tau2
    for i in range(len(count)):
        sigma2 = variances[1 + group[i]]
        weight = sigma2 / (tau2 + count[i] * sigma2) / tau2
        for a in range(n_fixed):
            right[a] -= weight * z[i, a] * y[i]
            for b in range(n_fixed):
                matrix[a, b] -= weight * z[i, a] * z[i, b]
    for a in range(n_fixed):
        matrix[a, a] += precision[a]
    _draw_normal(matrix, right, normal, fixed)


@njit(cache=True, nogil=True)
def _draw_fixed_conditional(
    ztz: Floats, zty: Floats, z: Floats,
    precision: Floats, variances: Floats, random: Floats, normal: Floats, fixed: Floats,
) -> None:  # fmt: skip
    """μ given all else (A_μ, B_μ), then (β, ln γ) given all else (A_b, B_b of equation 4)."""
    n_fixed, tau2 = len(fixed), variances[0]
    total = zty - product_of(random.reshape(1, len(random)), z)[0]
    left = total[0]
    for a in range(1, n_fixed):
        left -= ztz[0, a] * fixed[a]
    scale = 1 / (precision[0] + ztz[0, 0] / tau2)
    fixed[0] = scale * left / tau2 + np.sqrt(scale) * normal[0]
    if n_fixed > 1:
        matrix, right = ztz[1:, 1:] / tau2, (total[1:] - ztz[1:, 0] * fixed[0]) / tau2
        for a in range(n_fixed - 1):
            matrix[a, a] += precision[1 + a]
        _draw_normal(matrix, right, normal[1:], fixed[1:])


@njit(cache=True, nogil=True)
def _draw_normal(matrix: Floats, right: Floats, normal: Floats, out: Floats) -> None:
    """N(Λ⁻¹r, Λ⁻¹) for a precision matrix Λ: factor Λ = LLᵀ, solve Lv = r, then Lᵀx = v + normal."""
    size = len(right)
    for a in range(size):
        for b in range(a + 1):
            value = matrix[a, b]
            for c in range(b):
                value -= matrix[a, c] * matrix[b, c]
            matrix[a, b] = np.sqrt(max(value, 1e-300)) if a == b else value / matrix[b, b]
    for a in range(size):
        value = right[a]
        for c in range(a):
            value -= matrix[a, c] * out[c]
        out[a] = value / matrix[a, a]
    for a in range(size - 1, -1, -1):
        value = out[a] + normal[a]
        for c in range(a + 1, size):
            value -= matrix[c, a] * out[c]
        out[a] = value / matrix[a, a]
