"""The Gibbs sampler against computations that share no code with it."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizers.bayes_synthetic.convergence import effective_draws, split_rhat
from anonymizers.bayes_synthetic.gibbs import Draws, log_posterior, sample
from anonymizers.bayes_synthetic.model import FlexiblePrior, Sums
from datasets.store_panel import StorePanel
from tests.pos.panels import COLUMNS, ELASTICITY, MULTIPLIERS, simulated
from tests.pos.peers import nuts


def small_case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    store = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
    x = np.column_stack([rng.normal(1, 0.5, 9), rng.random(9) < 0.4]).astype(float)
    y = 3 + np.array([-0.5, 0.1, 0.6])[store] + x @ [-1.5, 0.8] + 0.3 * rng.normal(size=9)
    return y, x, store


def exact_moments(
    y: np.ndarray, x: np.ndarray, store: np.ndarray, prior: FlexiblePrior
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of (μ, β, ln γ, u, ln τ², ln σ²): dense algebra for the coefficients, which are
    conjugate given the variances, and a fine grid over the logarithms of the two variances."""
    design = np.column_stack([np.ones(len(y)), x, np.eye(store.max() + 1)[store]])
    n_fixed, n_stores = 1 + x.shape[1], store.max() + 1
    rows = []
    for log_tau in np.linspace(-9, 3, 90):
        for log_sigma in np.linspace(-9, 6, 90):
            tau2, sigma2 = np.exp(log_tau), np.exp(log_sigma)
            prior_variance = np.concatenate(
                [[prior.intercept_variance], np.full(n_fixed - 1, 1 / prior.kappa), np.full(n_stores, sigma2)]
            )
            cover = tau2 * np.eye(len(y)) + (design * prior_variance) @ design.T
            log_weight = -0.5 * (np.linalg.slogdet(cover)[1] + y @ np.linalg.solve(cover, y))
            log_weight += -prior.a0 * log_tau - prior.b0 / tau2
            log_weight += float(-prior.nu0[0] / 2 * log_sigma - prior.v0[0] / 2 / sigma2)
            precision = design.T @ design / tau2 + np.diag(1 / prior_variance)
            inverse = np.linalg.inv(precision)
            mean = inverse @ design.T @ y / tau2
            rows.append((log_weight, [*mean, log_tau, log_sigma], [*np.diag(inverse), 0, 0]))
    weights = np.exp(np.array([row[0] for row in rows]) - max(row[0] for row in rows))
    weights /= weights.sum()
    means, variances = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    mean = weights @ means
    return mean, np.sqrt(weights @ (variances + means**2) - mean**2)


def flat(draws: Draws) -> np.ndarray:
    """chains × draws × (fixed, random, ln τ², ln σ²)."""
    logs = [np.log(draws.tau2)[..., None], np.log(draws.sigma2)]
    return np.concatenate([draws.fixed, draws.random, *logs], axis=2)


@pytest.mark.parametrize("blocked", [True, False])
def test_the_exact_posterior_of_a_small_conjugate_case(blocked: bool) -> None:
    y, x, store = small_case()
    prior = FlexiblePrior(0.2, np.array([0.2]), intercept_variance=25.0, a0=2.0, b0=0.5)
    sums = Sums.of(y, x, store, np.zeros(3, dtype=np.int64))
    found = flat(sample(sums, prior, np.random.default_rng(1), burn_in=2000, draws=40_000, blocked=blocked))
    mean, deviation = exact_moments(y, x, store, prior)
    effective = effective_draws(found)
    assert effective.min() > 500
    error = np.abs(found.mean(axis=(0, 1)) - mean) / (deviation / np.sqrt(effective))
    # Eight means within four Monte Carlo standard errors each; the deviations likewise.
    assert error.max() < 4, error
    np.testing.assert_allclose(found.std(axis=(0, 1)), deviation, rtol=5 / np.sqrt(effective.min()))


def test_the_marginal_posterior_of_the_variances_is_that_of_dense_algebra() -> None:
    y, x, store = small_case()
    prior = FlexiblePrior(0.7, np.array([0.7]))
    sums = Sums.of(y, x, store, np.zeros(3, dtype=np.int64))
    design = np.column_stack([np.ones(9), x, np.eye(3)[store]])
    values = []
    for tau2, sigma2 in ((0.1, 0.5), (0.4, 0.01), (2.0, 3.0)):
        spread = np.concatenate([[prior.intercept_variance], [1 / 0.7] * 2, [sigma2] * 3])
        cover = tau2 * np.eye(9) + (design * spread) @ design.T
        dense = -0.5 * (np.linalg.slogdet(cover)[1] + y @ np.linalg.solve(cover, y))
        dense -= prior.a0 * np.log(tau2) + prior.b0 / tau2
        dense -= 35 * np.log(sigma2) + 1 / 14 / sigma2
        values.append(log_posterior(sums, prior, np.array([tau2, sigma2])) - dense)
    np.testing.assert_allclose(values, values[0], rtol=1e-7)


def test_both_sweeps_have_the_same_stationary_distribution() -> None:
    panel = StorePanel.of(simulated(5, n_stores=6, n_weeks=5, n_brands=1), COLUMNS)
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, np.zeros(6, dtype=np.int64))
    prior = FlexiblePrior(0.3, np.array([0.3]))
    ways = []
    for blocked in (True, False):
        ways.append(flat(sample(sums, prior, np.random.default_rng(2), draws=15_000, blocked=blocked)))
    error = [way.std(axis=(0, 1)) / np.sqrt(effective_draws(way)) for way in ways]
    gap = np.abs(ways[0].mean(axis=(0, 1)) - ways[1].mean(axis=(0, 1)))
    assert (gap < 4.5 * np.hypot(*error)).all(), gap / np.hypot(*error)
    # One at a time μ and the mean of u hold each other back; that is why the block is the default.
    assert effective_draws(ways[0])[0] > 5 * effective_draws(ways[1])[0]


def test_the_posterior_is_that_of_pymcs_nuts() -> None:
    """PyMC writes the model a second time and samples it by another method; effective draws by ArviZ."""
    panel = StorePanel.of(simulated(7, n_stores=4, n_weeks=10, n_brands=1), COLUMNS)
    y, x, store = panel.log_response, panel.predictors, panel.subject.codes.astype(np.int64)
    prior = FlexiblePrior(0.3, np.array([0.3]))
    theirs = nuts(y, x, store, prior, draws=300, tune=300)
    sums = Sums.of(y, x, store, np.zeros(4, dtype=np.int64))
    ours = flat(sample(sums, prior, np.random.default_rng(1), draws=20_000))
    assert theirs.effective.min() > 100 and effective_draws(ours).min() > 10_000
    # Eleven means and eleven deviations, each within four standard errors; ours are below a tenth of theirs.
    assert (np.abs(ours.mean(axis=(0, 1)) - theirs.mean) < 4 * theirs.mean_error).all()
    assert (np.abs(ours.std(axis=(0, 1)) - theirs.deviation) < 4 * theirs.deviation_error).all()


def test_effective_draws_of_an_autoregressive_chain_are_what_theory_says() -> None:
    """AR(1) with ρ = 0.7: ESS = N (1 − ρ)/(1 + ρ)."""
    rng = np.random.default_rng(4)
    shocks = rng.normal(size=(4, 20_000, 1))
    chain = np.empty_like(shocks)
    chain[:, 0] = shocks[:, 0] / np.sqrt(1 - 0.49)
    for step in range(1, shocks.shape[1]):
        chain[:, step] = 0.7 * chain[:, step - 1] + shocks[:, step]
    assert effective_draws(chain)[0] == pytest.approx(80_000 * 0.3 / 1.7, rel=0.1)
    assert split_rhat(chain)[0] < 1.01
    apart = chain + np.array([0.0, 0.0, 0.0, 3.0])[:, None, None]
    assert split_rhat(apart)[0] > 1.2


def test_simulated_coefficients_lie_in_their_intervals_at_small_kappa() -> None:
    """Five brands of one run in the paper's size; the benchmark does 100 runs."""
    panel = StorePanel.of(simulated(11), COLUMNS)
    inside = []
    for brand in range(5):
        rows = np.flatnonzero(panel.brand.codes == brand)
        subject = panel.subject.codes[rows]
        sums = Sums.of(
            panel.log_response[rows], panel.predictors[rows], subject, np.zeros(34, dtype=np.int64)
        )
        draws = sample(sums, FlexiblePrior(1e-3, np.array([1e-3])), np.random.default_rng(brand), draws=500)
        low, high = np.quantile(draws.fixed[..., 1:].reshape(-1, 4), [0.025, 0.975], axis=0)
        true = np.array([ELASTICITY[brand], *np.log(MULTIPLIERS[brand])])
        inside += ((low <= true) & (true <= high)).tolist()
    # 20 intervals of 95 %: 16 or more are inside with probability 0.997.
    assert sum(inside) >= 16


def test_every_effect_shrinks_as_kappa_grows() -> None:
    """Figure 6: all parameters tend to zero. Compared by posterior means."""
    panel = StorePanel.of(simulated(12, n_stores=20, n_weeks=30, n_brands=1), COLUMNS)
    group = np.zeros(20, dtype=np.int64)
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, group)
    fixed, random = [], []
    for kappa in (0.01, 1.0, 10.0, 100.0, 1000.0):
        draws = sample(sums, FlexiblePrior(kappa, np.array([kappa])), np.random.default_rng(1), draws=4000)
        fixed.append(np.abs(draws.fixed[..., 1:].mean(axis=(0, 1))))
        random.append(np.abs(draws.random.mean(axis=(0, 1))).mean())
    assert (np.diff(fixed, axis=0) < 0.01).all() and (fixed[-1] < 0.7 * fixed[0]).all()
    assert (np.diff(random) < 0.01).all() and random[-1] < 0.05 * random[0]


def test_a_group_with_a_larger_kappa_shrinks_more() -> None:
    panel = StorePanel.of(simulated(13, n_stores=20, n_weeks=8, n_brands=1), COLUMNS)
    group = np.arange(20) % 2
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, group)
    even = sample(sums, FlexiblePrior(0.1, np.array([0.1, 0.1])), np.random.default_rng(1), draws=1000)
    odd = sample(sums, FlexiblePrior(0.1, np.array([0.1, 50.0])), np.random.default_rng(1), draws=1000)
    before, after = (np.abs(draws.random.mean(axis=(0, 1))) for draws in (even, odd))
    assert after[group == 1].mean() < 0.2 * before[group == 1].mean()
    assert after[group == 0].mean() > 0.7 * before[group == 0].mean()
