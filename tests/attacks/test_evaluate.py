"""The judge against hand-counted guesses and SciPy's interval."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from attacks.attack import Guess
from attacks.evaluate import judge, wilson
from datasets.tables import NO_GUESS


@pytest.mark.parametrize("trials", [1, 2, 7, 50, 400])
def test_wilson_interval_equals_scipys(trials: int) -> None:
    for hits in {0, 1, trials // 3, trials - 1, trials}:
        expected = binomtest(hits, trials).proportion_ci(0.95, method="wilson")
        assert wilson(hits, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_hits_are_rows_guessed_right_and_no_guess_is_a_miss() -> None:
    judged = judge(Guess(np.array([3, NO_GUESS, 1, 0])), [3, 2, 0, 1], 5)
    assert (judged.hits, judged.hit_rows.tolist(), judged.rate, judged.baseline) == (1, [0], 0.25, 0.2)


def test_expected_hits_share_a_class_evenly() -> None:
    # Two clusters of sizes 2 and 3 with equal item sets inside: one expected hit a cluster, 2 in all.
    guess = Guess(
        rows=np.array([0, 0, 2, 2, 2]),
        tie_class=np.array([0, 0, 1, 1, 1]),
        tie_members=(np.array([0, 1]), np.array([2, 3, 4])),
    )
    judged = judge(guess, [1, 0, 3, 2, 4], 5)
    assert (judged.hits, judged.expected_hits) == (2, pytest.approx(2.0))


def test_a_class_without_the_right_row_adds_nothing() -> None:
    guess = Guess(np.array([0]), np.array([0]), (np.array([0, 2]),))
    assert judge(guess, [1], 3).expected_hits == 0


def test_a_guess_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="needs one line for each of the 3"):
        judge(Guess(np.array([0])), [0, 1, 2], 3)


def test_nobody_released_is_no_error() -> None:
    judged = judge(Guess(np.array([], dtype=np.int64)), np.array([], dtype=np.int64), 4)
    assert (judged.hits, judged.rate, judged.low, judged.high) == (0, 0.0, 0.0, 1.0)
