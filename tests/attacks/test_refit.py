"""Linkage that refits itself: choices, conditional logits and forged evidence, on tables made here."""

from __future__ import annotations

import numpy as np
import pytest

from attacks.linkage.choice import Choices, choices_of, fitted, gains, mutual_choices
from attacks.linkage.likelihood import Things, all_pairs, kernel_scores, token_scores
from attacks.linkage.refit import Family, refit

N = 60


def evidence(truth: np.ndarray, strength: float, seed: int) -> np.ndarray:
    """Normal scores of all pairs, those of the right ones higher by ``strength``."""
    scores = np.random.default_rng(seed).normal(size=(N, N))
    scores[np.arange(N), truth] += strength
    return scores.reshape(1, 1, -1).astype(np.float32)


def test_forged_evidence_gets_no_weight_however_clear_it_is() -> None:
    rng = np.random.default_rng(1)
    truth, forged = rng.permutation(N), rng.permutation(N)
    families = [
        Family("first", "first", ("a",), evidence(truth, 4.0, 2)),
        Family("second", "second", ("b",), evidence(truth, 3.0, 3)),
        Family("forged", "forged", ("c",), evidence(forged, 50.0, 4)),
    ]
    found = refit(all_pairs(N, N), families, np.zeros((0, N * N), dtype=np.float32))
    assert found.weights.keys() == {"first", "second"}
    assert (found.score.reshape(N, N).argmax(axis=1) == truth).mean() > 0.9


def test_evidence_that_stands_alone_is_believed() -> None:
    truth = np.random.default_rng(5).permutation(N)
    families = [
        Family("clear", "clear", ("a",), evidence(truth, 50.0, 6)),
        Family("noise", "noise", ("b",), evidence(truth, 0.0, 7)),
    ]
    found = refit(all_pairs(N, N), families, np.zeros((0, N * N), dtype=np.float32))
    assert found.weights.keys() == {"clear"}
    assert (found.score.reshape(N, N).argmax(axis=1) == truth).all()


def test_no_evidence_gives_no_weights() -> None:
    flat = Family("flat", "flat", ("a",), np.ones((1, 1, 4), dtype=np.float32))
    assert refit(all_pairs(2, 2), [flat], np.zeros((0, 4), dtype=np.float32)).weights == {}
    assert refit(all_pairs(0, 0), [flat], np.zeros((0, 0), dtype=np.float32)).weights == {}


def test_a_choice_is_mutual_after_rows_are_put_on_one_scale() -> None:
    # Row 0 scores ten more with everybody; as chances, each row's own column is the other's best too.
    found = mutual_choices(all_pairs(2, 2), np.array([15.0, 10.0, 0.0, 5.0]))
    assert sorted(zip(found.rows.tolist(), found.pairs.tolist(), strict=True)) == [(0, 0), (1, 3)]
    assert found.margin == pytest.approx([5.0, 5.0])


def test_the_weight_of_one_score_is_where_the_penalised_likelihood_is_flat() -> None:
    """Against a search over a grid of weights, with the formula written out."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(200, 1))
    x[::5] += 1.0
    choices = Choices(x, np.arange(0, 201, 5), np.arange(0, 200, 5))
    (weight,) = fitted(choices)
    spread, grid = x.std(), np.linspace(0.0, 3.0, 3001)
    values = []
    for beta in grid:
        odds = np.exp(beta * x.reshape(40, 5))
        chance = 0.95 * odds[:, 0] / odds.sum(axis=1) + 0.05 / 5
        values.append(np.log(chance).sum() - (beta * spread) ** 2 / 2)
    assert weight == pytest.approx(grid[int(np.argmax(values))], abs=0.01)
    odds = np.exp(weight * x.reshape(40, 5))
    expected = np.log(5 * (0.95 * odds[:, 0] / odds.sum(axis=1) + 0.05 / 5))
    np.testing.assert_allclose(gains(choices, np.array([weight])), expected, rtol=1e-9)


def test_a_score_that_speaks_against_the_choices_gets_no_weight() -> None:
    pairs = all_pairs(N, N)
    truth = np.random.default_rng(9).permutation(N)
    x = evidence(truth, -3.0, 10)[0].T.astype(np.float64)
    labels = mutual_choices(pairs, evidence(truth, 9.0, 11)[0, 0].astype(np.float64))
    assert fitted(choices_of(pairs, x, labels)).tolist() == [0.0]


def test_ratios_of_tokens_and_numbers_by_hand() -> None:
    """One of two original things is t: f = 1/2, q = 1/4; noise 1/5 gives ln(1 + 4 · 2) for each copy."""
    original = Things(np.array([0, 0, 1, 1]), np.zeros(4), (np.array([7, 8, 9, 9]),))
    released = Things(np.array([0, 0]), np.array([0, 1]), (np.array([7, 7]),))
    scores = token_scores(all_pairs(1, 2), original, released, (0.2,))
    np.testing.assert_allclose(scores[0], [[np.log(9), 0], [np.log(9), 0]], rtol=1e-6)
    # Width 0 compares numbers as tokens do.
    same = kernel_scores(all_pairs(1, 2), original, released, 0, 0.2)
    np.testing.assert_allclose(same, scores[0], rtol=1e-6)
    # 10 is one day from 9: half of the height 1/2 at each of 8, 9 and 10, and only the second has any there.
    late = Things(np.array([0]), np.array([0]), (np.array([10]),))
    near = kernel_scores(all_pairs(1, 2), original, late, 1, 0.5)
    assert near[0, 0] == 0 and near[0, 1] == pytest.approx(np.log(3.0))
