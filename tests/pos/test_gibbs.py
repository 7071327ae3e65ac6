"""The Gibbs sampler against computations that share no code with it."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizers.engines.bayes_synthetic.convergence import effective_draws, split_rhat
from anonymizers.engines.bayes_synthetic.gibbs import Draws, log_posterior, sample
from anonymizers.engines.bayes_synthetic.model import FlexiblePrior, Sums
from arithmetic import product
from datasets.store_panel import StorePanel
from tests import chance
from tests.pos.panels import COLUMNS, ELASTICITY, MULTIPLIERS, simulated
from tests.pos.peers import Posterior, nuts

FREEDOM = 50
"""The error of a mean of dependent draws is itself an estimate, good to a tenth in the runs of these tests:
as one from 50 independent draws."""


def small_case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    store = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2])
    x = np.column_stack([rng.normal(1, 0.5, 9), rng.random(9) < 0.4]).astype(float)
    y = 3 + np.array([-0.5, 0.1, 0.6])[store] + product(x, [-1.5, 0.8]) + 0.3 * rng.normal(size=9)
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


def mean_and_error(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return draws.mean(axis=(0, 1)), draws.std(axis=(0, 1)) / np.sqrt(effective_draws(draws))


def deviation_and_error(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    variance, error = mean_and_error((draws - draws.mean(axis=(0, 1))) ** 2)
    return np.sqrt(variance), error / (2 * np.sqrt(variance))


@pytest.mark.parametrize("blocked", [True, False])
def test_the_exact_posterior_of_a_small_conjugate_case(blocked: bool) -> None:
    """Eight means and eight deviations; false alarm 1e-6 for each sweep.

    32,000 draws or more are effective, so that an error is 0.006 posterior deviations: a prior with b0 = 0.55
    instead of 0.5 moves ln τ² by 0.08 deviations, 15 errors.
    """
    y, x, store = small_case()
    prior = FlexiblePrior(0.2, np.array([0.2]), intercept_variance=25.0, a0=2.0, b0=0.5)
    sums = Sums.of(y, x, store, np.zeros(3, dtype=np.int64))
    found = flat(sample(sums, prior, chance.generator(1), burn_in=2000, draws=40_000, blocked=blocked))
    for (ours, error), exact in zip(
        (mean_and_error(found), deviation_and_error(found)), exact_moments(y, x, store, prior), strict=True
    ):
        assert (np.abs(ours - exact) < chance.errors_allowed(16, FREEDOM) * error).all()


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
    """False alarm 1e-6 over twelve means. Of μ, which mixes worst, 6 errors are 0.2 posterior deviations: a
    sweep that forgot a store, or the prior of μ, would be seen."""
    panel = StorePanel.of(simulated(chance.seed(5), n_stores=6, n_weeks=5, n_brands=1), COLUMNS)
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, np.zeros(6, dtype=np.int64))
    prior = FlexiblePrior(0.3, np.array([0.3]))
    rng = chance.generator(2)
    ways = [
        flat(sample(sums, prior, rng, draws=draws, blocked=blocked))
        for blocked, draws in ((True, 15_000), (False, 60_000))
    ]
    (block, block_error), (single, single_error) = (mean_and_error(way) for way in ways)
    limit = chance.errors_allowed(ways[0].shape[2], FREEDOM) * np.hypot(block_error, single_error)
    assert (np.abs(block - single) < limit).all()
    # One at a time μ and the mean of u hold each other back; that is why the block is the default. Of equally
    # many draws 90 to 230 times as many are effective, on four panels.
    assert effective_draws(ways[0])[0] / 15_000 > 20 * effective_draws(ways[1])[0] / 60_000


DULL = 0.05


def sharp_enough(y: np.ndarray, x: np.ndarray, store: np.ndarray, prior: FlexiblePrior) -> Posterior:
    """The peer with as many draws as the comparison needs; where even many are too few, nothing is
    compared."""
    for draws in (3000, 12_000):
        theirs = nuts(y, x, store, prior, draws=draws, tune=500, seed=chance.seed(1))
        if (np.maximum(theirs.mean_error, theirs.deviation_error) < DULL * theirs.deviation).all():
            return theirs
    pytest.skip(
        f"PyMC's sampler mixed too badly: {theirs.effective.min():.0f} effective draws of {2 * draws}"
    )


def test_the_posterior_is_that_of_pymcs_nuts() -> None:
    """PyMC writes the model a second time and samples it by another method; effective draws by ArviZ.

    Eleven means and eleven deviations; false alarm 1e-6. How well NUTS mixes only decides how much is seen:
    with errors of at most DULL posterior deviations a mean or deviation that is 0.6 deviations off is seen,
    always. Today the largest error is 0.03, so that 0.3 is enough. Half the prior's weight on σ² moves ln σ²
    by 1.4.
    """
    panel = StorePanel.of(simulated(7, n_stores=4, n_weeks=10, n_brands=1), COLUMNS)
    y, x, store = panel.log_response, panel.predictors, panel.subject.codes.astype(np.int64)
    prior = FlexiblePrior(0.3, np.array([0.3]))
    sums = Sums.of(y, x, store, np.zeros(4, dtype=np.int64))
    ours = flat(sample(sums, prior, chance.generator(1), draws=20_000))
    theirs = sharp_enough(y, x, store, prior)
    limit = chance.errors_allowed(2 * ours.shape[2], FREEDOM)
    for (found, error), peer, peer_error in (
        (mean_and_error(ours), theirs.mean, theirs.mean_error),
        (deviation_and_error(ours), theirs.deviation, theirs.deviation_error),
    ):
        distance = np.abs(found - peer) / np.hypot(error, peer_error)
        print(
            "in errors:", distance.round(1), "errors in deviations:", (peer_error / theirs.deviation).round(3)
        )
        assert (distance < limit).all()


def test_effective_draws_of_an_autoregressive_chain_are_what_theory_says() -> None:
    """AR(1) with ρ = 0.7: ESS = N (1 − ρ)/(1 + ρ).

    Over 40 seeds the estimate in units of that was 0.995 with a deviation of 0.012, so a tenth is 8
    deviations; R-hat was 1.0001 at most, and with one chain apart 1.408 with a deviation of 0.003. Leaving
    out the 2 of 2 Σ P would double the estimate.
    """
    rng = chance.generator(4)
    shocks = rng.normal(size=(4, 100_000, 1))
    chain = np.empty_like(shocks)
    chain[:, 0] = shocks[:, 0] / np.sqrt(1 - 0.49)
    for step in range(1, shocks.shape[1]):
        chain[:, step] = 0.7 * chain[:, step - 1] + shocks[:, step]
    assert effective_draws(chain)[0] == pytest.approx(400_000 * 0.3 / 1.7, rel=0.1)
    assert split_rhat(chain)[0] < 1.01
    apart = chain + np.array([0.0, 0.0, 0.0, 3.0])[:, None, None]
    assert split_rhat(apart)[0] > 1.2


def test_simulated_coefficients_lie_in_their_intervals_at_small_kappa() -> None:
    """Five brands of ten runs in the paper's size; the benchmark does 100 runs.

    200 intervals of 95 %: fewer than 173 hold the truth once in a million. Intervals of half the right width
    would hold it in 67 %, 134 of 200, seen always; two thirds of the right width, 81 %, nearly always.
    """
    inside = 0
    for run in range(10):
        panel = StorePanel.of(simulated(chance.seed(11 + run)), COLUMNS)
        for brand in range(5):
            rows = np.flatnonzero(panel.brand.codes == brand)
            group = np.zeros(34, dtype=np.int64)
            sums = Sums.of(panel.log_response[rows], panel.predictors[rows], panel.subject.codes[rows], group)
            prior = FlexiblePrior(1e-3, np.array([1e-3]))
            draws = sample(sums, prior, chance.generator(brand), draws=500)
            low, high = np.quantile(draws.fixed[..., 1:].reshape(-1, 4), [0.025, 0.975], axis=0)
            true = np.array([ELASTICITY[brand], *np.log(MULTIPLIERS[brand])])
            inside += int(((low <= true) & (true <= high)).sum())
    assert inside >= chance.fewest(200, 0.95)


def test_every_effect_shrinks_as_kappa_grows() -> None:
    """Figure 6: all parameters tend to zero. Compared by posterior means.

    On the way an effect may grow for a while: what price no longer explains, promotions do. Over five seeds
    the effects at κ = 1000 were 0.02 to 0.06 of those at 0.01, at κ = 100 at most 0.46 of those at κ = 10.
    """
    panel = StorePanel.of(simulated(chance.seed(12), n_stores=20, n_weeks=30, n_brands=1), COLUMNS)
    group = np.zeros(20, dtype=np.int64)
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, group)
    fixed, random = [], []
    for kappa in (0.01, 1.0, 10.0, 100.0, 1000.0):
        draws = sample(sums, FlexiblePrior(kappa, np.array([kappa])), chance.generator(1), draws=4000)
        fixed.append(np.abs(draws.fixed[..., 1:].mean(axis=(0, 1))))
        random.append(np.abs(draws.random.mean(axis=(0, 1))).mean())
    assert (fixed[-1] < 0.25 * fixed[0]).all()
    assert (fixed[3] < 0.8 * fixed[2]).all() and (fixed[4] < 0.8 * fixed[3]).all()
    # Store effects fall by 0.02 to 0.04 from κ = 0.01 to 1, and are nothing, 4e-7 of them, at 1000.
    assert (np.diff(random) < 0.01).all() and random[-1] < 0.001 * random[0]


def test_a_group_with_a_larger_kappa_shrinks_more() -> None:
    """Over five seeds the effects of the hidden group were 2e-5 of those before, of the other 0.83 to
    0.98."""
    panel = StorePanel.of(simulated(chance.seed(13), n_stores=20, n_weeks=8, n_brands=1), COLUMNS)
    group = np.arange(20) % 2
    sums = Sums.of(panel.log_response, panel.predictors, panel.subject.codes, group)
    even = sample(sums, FlexiblePrior(0.1, np.array([0.1, 0.1])), chance.generator(1), draws=1000)
    odd = sample(sums, FlexiblePrior(0.1, np.array([0.1, 50.0])), chance.generator(1), draws=1000)
    before, after = (np.abs(draws.random.mean(axis=(0, 1))) for draws in (even, odd))
    assert after[group == 1].mean() < 0.1 * before[group == 1].mean()
    assert after[group == 0].mean() > 0.5 * before[group == 0].mean()
