"""The odds-ratio model against the paper's worked example, finite differences and the models it nests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from anonymizers.engines.masking.draw import draw_codes, expected_distance
from anonymizers.engines.masking.likelihood import Likelihood
from anonymizers.engines.masking.odds_ratio import OddsRatio, fit_odds_ratio
from arithmetic import exp, product
from tests import chance

# Qian and Xie, Appendix A.1 and A.3.
X = np.array([-1.306, -0.415, -0.196, 0.055, 0.160, 0.314, 0.457, 0.778, 1.226, 1.617])
WEIGHTS = np.array([-0.077, 0.165, 0.199, 0.224, 0.230, 0.233, 0.231, 0.205, 0.120, 0.000])
GAMMA = 0.954
FIRST_S = -0.787
P1 = np.array([0.201, 0.141, 0.126, 0.109, 0.103, 0.093, 0.084, 0.066, 0.045, 0.031])


def appendix() -> OddsRatio:
    return OddsRatio(X, WEIGHTS, float(X.mean()), np.array([GAMMA]), 0.0, 0, 0.0, 1)


def test_the_appendix_probabilities_to_three_decimals() -> None:
    """The mean of S is not printed; one number, S₀ = −0.089, must give all ten printed probabilities."""
    found = appendix().probabilities(np.array([[FIRST_S + 0.089]]))[0]
    # The inputs are themselves printed to three decimals, which moves a probability by up to 0.0003.
    np.testing.assert_allclose(found, P1, atol=0.0005 + 0.0003)


def test_the_appendix_is_fitted_from_ten_rows_consistent_with_it() -> None:
    """The Appendix prints its first row only, (−0.787, −1.306). The S of the others, and which X they have,
    were solved for, so that the likelihood equations hold at the printed λ̂ and γ̂; EMPD is printed as 0.821.
    """
    s = np.array([-0.787, -0.013, 0.720, -0.782, -0.013, -0.013, -0.013, 0.941, -0.148, -0.782])
    x = np.array([-1.306, 0.778, 0.160, -0.415, 0.457, 0.314, 1.226, 0.055, 1.617, -0.196])
    terms = (s - s.mean())[:, None]
    found = fit_odds_ratio(x, terms)
    assert found.converged
    np.testing.assert_allclose(found.weights, WEIGHTS, atol=0.0015)
    assert found.gamma[0] == pytest.approx(GAMMA, abs=0.001)
    np.testing.assert_allclose(found.probabilities(terms[:1])[0], P1, atol=0.0008)
    codes = np.searchsorted(found.points, x)
    assert expected_distance(found, terms, codes, x, np.argsort(x)) == pytest.approx(0.821, abs=0.001)


def information(terms: np.ndarray) -> np.ndarray:
    """Of λ_1 … λ_9 and γ at the Appendix's values: the covariances of 1(x = x_k) and x z, added up over
    rows."""
    total = np.zeros((10, 10))
    for shares, z in zip(appendix().probabilities(terms), terms[:, 0], strict=True):
        statistics = np.column_stack([np.eye(10)[:, :9], X * z])
        centred = statistics - shares @ statistics
        total += centred.T @ (shares[:, None] * centred)
    return total


def test_the_appendix_parameters_are_recovered_from_data_that_follow_them() -> None:
    """(θ̂ − θ)′ I (θ̂ − θ) is χ² with ten degrees of freedom, I the information by its definition; false
    alarm 1e-6. The error of γ is 0.008, so a γ that is 0.1 off would be seen, always."""
    rng = chance.generator(7)
    terms = rng.normal(size=(60_000, 1))
    codes = draw_codes(appendix(), terms, rng)
    centred = terms - terms.mean()
    found = fit_odds_ratio(X[codes], centred)
    # The reference points are the sample means, so λ at the Appendix's points is shifted by known amounts.
    shifted = WEIGHTS + (X - X.mean()) * GAMMA * terms.mean()
    assert found.converged
    off = np.append((found.weights - shifted + shifted[-1])[:-1], found.gamma[0] - GAMMA)
    assert off @ information(terms) @ off < stats.chi2.isf(chance.FALSE_ALARM, 10)


@pytest.mark.parametrize("n", [40, 3000])
def test_the_gradient_is_that_of_finite_differences(n: int) -> None:
    """Both ways of summing: few rows are nodes themselves, many rows read a grid."""
    rng = np.random.default_rng(n)
    terms = rng.normal(size=(n, 3))
    values = rng.poisson(exp(0.5 * terms[:, 0])).astype(float)
    points, codes = np.unique(values, return_inverse=True)
    data = Likelihood.of(points - values.mean(), codes, terms)
    at = rng.normal(size=len(points) + 3) * 0.3
    k = len(points)
    assert data.grid(at[k:]).exact == (n == 40)

    def value(parameters: np.ndarray) -> float:
        return data.value_and_gradient(parameters[:k], parameters[k:])[0]

    step = 1e-4
    steps = step * np.eye(len(at))
    # Richardson's extrapolation of central differences, so that their own error is far below the bound.
    near = np.array([(value(at + e) - value(at - e)) / (2 * step) for e in steps])
    far = np.array([(value(at + 2 * e) - value(at - 2 * e)) / (4 * step) for e in steps])
    _, by_weight, by_gamma = data.value_and_gradient(at[:k], at[k:])
    np.testing.assert_allclose(
        np.concatenate([by_weight, by_gamma]), (4 * near - far) / 3, rtol=1e-6, atol=1e-6
    )


def test_the_information_is_minus_the_derivative_of_the_gradient() -> None:
    rng = np.random.default_rng(3)
    terms = rng.normal(size=(500, 2))
    values = rng.integers(0, 4, size=500).astype(float)
    points, codes = np.unique(values, return_inverse=True)
    data = Likelihood.of(points, codes, terms)
    at = rng.normal(size=6) * 0.3

    def gradient(parameters: np.ndarray) -> np.ndarray:
        return np.concatenate(data.value_and_gradient(parameters[:4], parameters[4:])[1:])

    steps = 1e-5 * np.eye(6)
    expected = np.array([(gradient(at - e) - gradient(at + e)) / 2e-5 for e in steps])
    np.testing.assert_allclose(data.information(at[:4], at[4:]), expected, atol=1e-5)


def test_the_grid_gives_the_plain_double_sum() -> None:
    rng = np.random.default_rng(5)
    terms = rng.normal(size=(2000, 2))
    points = np.sort(rng.normal(size=30))
    codes = rng.integers(0, 30, size=2000)
    weights, gamma = rng.normal(size=30), np.array([1.5, -0.7])
    exponents = weights + np.multiply.outer(terms @ gamma, points)
    shares = np.exp(exponents)
    total = shares.sum(axis=1, keepdims=True)
    value, by_weight, by_gamma = Likelihood.of(points, codes, terms).value_and_gradient(weights, gamma)
    assert value == pytest.approx(np.log(shares / total)[np.arange(2000), codes].sum(), rel=1e-11)
    counts = np.bincount(codes, minlength=30)
    np.testing.assert_allclose(by_weight, counts - (shares / total).sum(axis=0), atol=1e-7)
    residual = points[codes] - (shares / total) @ points
    np.testing.assert_allclose(by_gamma, terms.T @ residual, atol=1e-7)


def test_it_nests_logistic_regression() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(11)
    s = rng.normal(size=(800, 2))
    x = (rng.random(800) < 1 / (1 + exp(-(0.3 + product(s, [1.2, -0.7]))))).astype(float)
    # A two-valued column leaves nothing free, so the maximum likelihood is the very same.
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(s, x)
    found = fit_odds_ratio(x, s - s.mean(axis=0))
    # Ours stops within 0.001 standard errors of the maximum, and an error is 0.1 here.
    np.testing.assert_allclose(found.gamma, peer.coef_[0], atol=1e-4)


def test_it_nests_poisson_regression() -> None:
    from sklearn.linear_model import PoissonRegressor

    """Not the same maximum: ours leaves the reference distribution free. In ten tables γ − β had deviations
    of 0.009 and 0.006, the curve one of 0.006: the margins are six and eight of them."""
    rng = chance.generator(12)
    s = rng.normal(size=(4000, 2))
    x = rng.poisson(exp(0.4 + product(s, [0.5, -0.3]))).astype(float)
    peer = PoissonRegressor(alpha=0, tol=1e-8, max_iter=1000).fit(s, x)
    found = fit_odds_ratio(x, s - s.mean(axis=0))
    np.testing.assert_allclose(found.gamma, peer.coef_, atol=0.06)
    # The reference distribution, left free, is Poisson too: λ_k + ln k! is linear in k.
    likely = found.points <= 5
    factorials = np.cumsum(np.log(np.maximum(found.points[likely], 1)))
    curve = np.polyfit(found.points[likely], found.weights[likely] + factorials, 2)[0]
    assert abs(curve) < 0.05


def test_it_nests_normal_linear_regression() -> None:
    """In ten tables γ was 1.002 times β / σ², deviation 0.001: the free reference distribution costs
    little."""
    rng = chance.generator(13)
    s = rng.normal(size=(1500, 2))
    x = product(s, [0.8, -0.5]) + rng.normal(size=1500) * 0.9
    design = np.column_stack([np.ones(1500), s])
    beta, rest, *_ = np.linalg.lstsq(design, x, rcond=None)
    found = fit_odds_ratio(x, s - s.mean(axis=0))
    # γ = β / σ², the canonical parameter of the normal model.
    np.testing.assert_allclose(found.gamma, beta[1:] / (rest[0] / 1497), rtol=0.02)


def test_draws_follow_the_probabilities_away_from_the_nodes() -> None:
    """False alarm 1e-6. Ten cells of 8,000 to 16,000 draws: one cell a tenth too often would be seen; drawing
    from the neighbour's cell makes every cell tens of errors wrong."""
    rng = chance.generator(17)
    terms = np.linspace(-2, 2, 100_000)[:, None]
    codes = draw_codes(appendix(), terms, rng)
    expected = appendix().probabilities(terms).sum(axis=0)
    assert stats.chisquare(np.bincount(codes, minlength=10), expected).pvalue > chance.FALSE_ALARM


@pytest.mark.parametrize("n", [30, 4000])
def test_the_expected_distance_is_the_plain_double_sum(n: int) -> None:
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 10, size=n)
    terms = rng.normal(size=(n, 1))
    model = appendix()
    distances = np.abs(X[None, :] - X[codes][:, None])
    expected = (distances * model.probabilities(terms)).sum(axis=1).mean()
    assert expected_distance(model, terms, codes, X[codes], np.argsort(X[codes])) == pytest.approx(
        expected, rel=1e-10
    )


def test_the_expected_distance_within_rounded_cells_is_that_of_the_draws() -> None:
    rng = np.random.default_rng(23)
    codes = np.sort(rng.integers(0, 10, size=400))
    codes[:10] = np.arange(10)
    originals = X[codes] + rng.uniform(-0.01, 0.01, size=400)
    terms = rng.normal(size=(400, 1))
    shares = appendix().probabilities(terms)
    by_cell = np.array([[np.abs(originals[codes == k] - x).mean() for k in range(10)] for x in originals])
    expected = (by_cell * shares).sum(axis=1).mean()
    assert expected_distance(appendix(), terms, codes, originals, np.argsort(originals)) == pytest.approx(
        expected, rel=1e-10
    )


def test_no_table_of_rows_times_values_is_ever_made() -> None:
    """6,000 rows with as many distinct values: the whole table would take 275 MiB."""
    import tracemalloc

    rng = np.random.default_rng(29)
    terms = rng.normal(size=(6000, 2))
    values = product(terms, [0.5, 0.5]) + rng.normal(size=6000)
    tracemalloc.start()
    model = fit_odds_ratio(values, terms - terms.mean(axis=0))
    codes = np.searchsorted(model.points, values)
    expected_distance(model, terms, codes, values, np.argsort(values))
    draw_codes(model, terms, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.converged
    assert peak < 40 * 2**20
