"""The hierarchical Bayes logit: its kernels by definition, known parameters, and R's bayesm on margarine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scoring.panel.brand_choice import batch_error, brand_choice, coefficient_mapd
from scoring.panel.brand_metrics import equilibrium_markup
from scoring.panel.choice_data import ChoiceData, choice_data
from scoring.panel.choice_kernel import log_likelihood, population, propose, score_and_information
from tests.conftest import missing
from tests.scoring.bayesm_peer import bayesm_draws, bayesm_is_here, margarine

CENTRE = np.array([0.5, -1.0, -2.0])
COVARIANCE = np.array([[1.0, 0.3, 0.0], [0.3, 0.5, 0.0], [0.0, 0.0, 0.25]])


def simulated(panelists: int, trips: int, seed: int) -> ChoiceData:
    """Choices of three brands by log price, drawn from the model."""
    rng = np.random.default_rng(seed)
    thetas = rng.multivariate_normal(CENTRE, COVARIANCE, size=panelists)
    mix = rng.normal(0.0, 0.5, size=(panelists, trips, 3))
    utility = (
        np.concatenate([np.zeros((panelists, 1)), thetas[:, :2]], axis=1)[:, None]
        + thetas[:, 2, None, None] * mix
    )
    choice = (utility + rng.gumbel(size=utility.shape)).argmax(axis=2)
    begins = np.arange(panelists + 1) * trips
    brands = ("a", "b", "c")
    return ChoiceData(begins, choice.ravel(), mix.reshape(-1, 3, 1), brands, ("log price",))


def plain_log_likelihood(theta: np.ndarray, data: ChoiceData) -> float:
    """By the definition."""
    utility = np.concatenate([[0.0], theta[:2]])[None] + theta[2] * data.mix[:, :, 0]
    chance = np.exp(utility) / np.exp(utility).sum(axis=1, keepdims=True)
    return float(np.log(chance[np.arange(data.n_trips), data.choice]).sum())


def test_the_likelihood_and_its_derivatives_equal_the_definition() -> None:
    data = simulated(1, 30, 1)
    theta = np.array([0.2, -0.4, 1.3])
    assert log_likelihood(theta, data.mix, data.choice, 0, 30) == pytest.approx(
        plain_log_likelihood(theta, data)
    )
    gradient, information = score_and_information(theta, data.mix, data.choice, 0, 30)
    step = 1e-4 * np.eye(3)
    slope = [plain_log_likelihood(theta + e, data) - plain_log_likelihood(theta - e, data) for e in step]
    np.testing.assert_allclose(gradient, np.array(slope) / 2e-4, rtol=1e-5)
    bend = [
        score_and_information(theta - e, data.mix, data.choice, 0, 30)[0]
        - score_and_information(theta + e, data.mix, data.choice, 0, 30)[0]
        for e in step
    ]
    np.testing.assert_allclose(information, np.array(bend) / 2e-4, rtol=1e-4, atol=1e-6)


def test_a_proposal_has_the_covariance_of_the_inverse_precision() -> None:
    rng = np.random.default_rng(2)
    precision = np.linalg.inv(COVARIANCE)
    steps = np.empty((40_000, 3))
    for row in steps:
        propose(rng, CENTRE, precision, 1.5, row)
    np.testing.assert_allclose(np.cov(steps.T), 2.25 * COVARIANCE, atol=0.06)
    np.testing.assert_allclose(steps.mean(axis=0), CENTRE, atol=0.04)


def test_the_population_is_drawn_from_its_conjugate_posterior() -> None:
    """E V = S / (ν + n − d − 1) for an inverse Wishart, E μ = n θ̄ / (n + A), cov μ = E V / (n + A)."""
    rng = np.random.default_rng(3)
    thetas = rng.multivariate_normal(CENTRE, COVARIANCE, size=25)
    drawn = [population(rng, thetas, 6.0, 6.0, 0.5) for _ in range(20_000)]
    mean = thetas.mean(axis=0)
    scatter = (thetas - mean).T @ (thetas - mean) + 6 * np.eye(3) + np.outer(mean, mean) * 25 * 0.5 / 25.5
    expected = scatter / (6 + 25 - 3 - 1)
    np.testing.assert_allclose(np.mean([np.linalg.inv(p) for _, p in drawn], axis=0), expected, atol=0.02)
    centres = np.array([centre for centre, _ in drawn])
    np.testing.assert_allclose(centres.mean(axis=0), 25 * mean / 25.5, atol=0.01)
    np.testing.assert_allclose(np.cov(centres.T), expected / 25.5, atol=0.005)


def test_known_parameters_are_found_again() -> None:
    data = simulated(300, 20, 4)
    found = brand_choice(data, np.random.default_rng(5), 3000, 1000)
    assert (np.abs(found.mean - CENTRE) < 4 * found.deviation + 0.05).all()
    np.testing.assert_allclose(np.diag(found.covariance), np.diag(COVARIANCE), atol=0.35)
    assert 0.15 < found.accepted < 0.6
    assert 0 < found.mcfadden_r2 < 1
    document = found.as_document()
    assert list(document["coefficients"]) == ["b", "c", "log price"] and document["panelists"] == 300


def test_the_same_seed_gives_the_same_posterior_and_no_distortion() -> None:
    data = simulated(40, 8, 6)
    one, same = (brand_choice(data, np.random.default_rng(7), 200, 50) for _ in range(2))
    np.testing.assert_array_equal(one.draws, same.draws)
    assert coefficient_mapd(one, same, ("log price",)) == 0.0


def test_mark_ups_follow_from_the_price_coefficient_and_shares() -> None:
    """Besanko et al. (1998), equation 7a, by hand: 1 / (2 · (1 − 0.5)) = 1."""
    np.testing.assert_allclose(equilibrium_markup(-2.0, [50.0, 25.0]), [1.0, 1 / 1.5])


def test_trips_of_several_brands_and_panelists_with_few_trips_are_left_out() -> None:
    table = pd.DataFrame(
        {"who": list("AAABB"), "x": [1, 0, 1, 1, 0], "y": [0, 2, 1, 0, 1], "px": 1.0, "py": [2.0, 3, 4, 5, 6]}
    )
    data = choice_data(table, "who", ["x", "y"], {"price": ["px", "py"]}, least=2)
    assert data.begins.tolist() == [0, 2, 4] and data.choice.tolist() == [0, 1, 0, 1]
    assert data.mix[:, 1, 0].tolist() == [2, 3, 5, 6]
    with pytest.raises(ValueError, match="No panelist has 3 trips"):
        choice_data(table, "who", ["x", "y"], {"price": ["px", "py"]}, least=3)
    with pytest.raises(ValueError, match=r"needs one column a brand: 2\. Got 1"):
        choice_data(table, "who", ["x", "y"], {"price": ["px"]})


def test_margarine_posterior_equals_that_of_bayesm(shared_data: Path, tmp_path: Path) -> None:
    """Means of μ and of the variances in V, within Monte Carlo error of both samplers."""
    if not bayesm_is_here():
        missing("R with bayesm absent: Debian has it as r-cran-bayesm (make system)")
    data = margarine(shared_data, households=40)
    ours = brand_choice(data, np.random.default_rng(1), 30_000, 3000)
    peer = bayesm_draws(data, 15_000, tmp_path)
    for found, theirs in ((ours.draws, peer.centres[3000:]), (ours.variances, peer.variances[3000:])):
        error = np.hypot(batch_error(found), batch_error(theirs))
        np.testing.assert_array_less(np.abs(found.mean(axis=0) - theirs.mean(axis=0)), 5 * error)
        # The errors themselves are small enough for this to say something.
        assert (error < 0.2 * np.abs(theirs.mean(axis=0))).all()
