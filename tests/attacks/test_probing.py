"""Probing: what exact answers give away, what bands and few attempts leave, and the sign of who climbs."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from attacks.signals.climbing import FEWEST, climbing
from contest.board.disclosure import answers, budget
from games.shop.attacks.registry import ATTACKS, run_attack
from games.shop.data.generate import generate
from games.shop.methods.registry import run_anonymizer
from tests import chance
from tests.attacks.climber import Asked, climb, swap_two

PEOPLE = 40
ROUND = {"n_people": PEOPLE, "bands": 4, "per_day": 10, "days": 5, "per_target": None, "house": 0}
LIMITS = {"ut-jaccard": 0.9}


def truth_of(number: int, people: int = PEOPLE) -> np.ndarray:
    return np.random.default_rng(chance.seed(number)).permutation(people)


def test_exact_answers_settle_every_row_of_p() -> None:
    """The exploit: a few guesses for each person, and nothing of the data is needed."""
    for number in range(5):
        ask = Asked(truth_of(number))
        known = climb(ask, PEOPLE, np.random.default_rng(number))
        assert (known == ask.truth).all()
        # Each person costs one try and a search among 40: in 20 runs 144 to 173 guesses.
        assert len(ask.guesses) < PEOPLE * (math.log2(PEOPLE) + 2)


def test_the_same_climber_learns_nothing_for_sure_from_few_bands() -> None:
    """With the default of rounds that count: eight guesses, four bands."""
    for number in range(20):
        ask = Asked(truth_of(number), bands=4, most=8)
        known = climb(ask, PEOPLE, np.random.default_rng(number))
        assert len(ask.guesses) == 8
        assert np.count_nonzero(known == ask.truth) == 0


def test_nobody_learns_more_than_the_budget_says() -> None:
    """Brute force over all 120 truths of five people: the entropy of the answers is below the bound."""
    people, files = 5, 3
    every = np.array(list(permutations(range(people))))
    rng = np.random.default_rng(chance.seed(3))
    for feedback, bands in (("full", 0), ("bands", 4), ("bands", 2)):
        guesses = [rng.permutation(people) for _ in range(files)]
        told = np.stack([(every == guess).sum(axis=1) for guess in guesses])
        if bands:
            told = np.minimum(bands - 1, bands * told // people)
        kinds, sizes = np.unique(told, axis=1, return_counts=True)
        bound = budget(feedback, n_people=people, bands=bands or 4, per_day=files, days=1, in_total=None,
                       per_target=None, house=0)  # fmt: skip
        shares = sizes / len(every)
        entropy = -float((shares * np.log2(shares)).sum())
        assert entropy <= bound.bits + 1e-9
        assert kinds.shape[1] <= answers(feedback, people, bands or 4) ** files


@pytest.mark.parametrize(
    ("feedback", "in_total", "per_target", "bits"),
    [
        ("none", None, None, 0.0),
        ("bands", 8, None, 16.0),
        ("bands", 8, 3, 6.0),
        ("bands", None, None, 100.0),
        ("full", 8, None, 8 * math.log2(41)),
        # 50 exact answers would tell more than there is to know: log2(40!) = 159.16 bits.
        ("full", None, None, math.log2(math.factorial(40))),
    ],
)
def test_the_budget_follows_from_feedback_and_limits(
    feedback: str, in_total: int | None, per_target: int | None, bits: float
) -> None:
    found = budget(feedback, **{**ROUND, "per_target": per_target}, in_total=in_total)
    assert found.bits == pytest.approx(bits, rel=1e-12)


def test_where_all_is_told_at_once_the_house_attacks_answer_too() -> None:
    more = budget("full", **{**ROUND, "house": 3}, in_total=2)
    assert more.bits == pytest.approx(5 * math.log2(41))
    assert budget("bands", **{**ROUND, "house": 3}, in_total=2).bits == 4.0


@pytest.mark.parametrize("files", [8, 30, 200])
def test_the_plainest_climber_is_recognised(files: int) -> None:
    for number in range(10):
        rng = np.random.default_rng(chance.seed(number))
        ask = Asked(truth_of(number))
        swap_two(ask, truth_of(number + 1000), rng, files)
        evidence = climbing(ask.guesses, ask.hits)
        assert evidence.is_lit
        assert evidence.strength == 1.0


def test_who_searches_by_halves_is_recognised() -> None:
    """Half of a try names nobody new, and its end are single rows: in eight runs 0.77 to 0.85."""
    for number in range(10):
        ask = Asked(truth_of(number))
        climb(ask, PEOPLE, np.random.default_rng(number))
        assert climbing(ask.guesses, ask.hits).is_lit


def test_few_corrections_are_no_climb() -> None:
    ask = Asked(truth_of(1))
    rng = np.random.default_rng(chance.seed(1))
    swap_two(ask, truth_of(1001), rng, FEWEST)
    assert climbing(ask.guesses, ask.hits).strength == 0.0
    assert climbing([], []).strength == 0.0


def test_the_same_file_again_is_no_step() -> None:
    guess = truth_of(2)
    assert climbing([guess] * 50, [10] * 50).detail["steps"] == 0


@pytest.mark.parametrize(
    ("method", "parameters"),
    [("identity", {}), ("swap", {"share": 0.9}), ("shuffle", {"what": "receipts"}), ("itemset-clusters", {})],
)
def test_a_team_that_tries_one_attack_after_the_other_gives_no_alarm(
    method: str, parameters: dict[str, object]
) -> None:
    """Honest play: every house attack once, on entries that hide nothing, something and much.

    In three data sets at most 0.17, of 0.6 for an alarm.
    """
    original = generate(100, seed=chance.seed(5))
    release = run_anonymizer(method, original, LIMITS, chance.seed(7), parameters).release
    guesses = [run_attack(house.name, original, release.data, 0).rows for house in ATTACKS]
    hits = [int(np.count_nonzero(guess == release.truth)) for guess in guesses]
    assert len(guesses) > FEWEST
    evidence = climbing(guesses, hits)
    assert not evidence.is_lit, evidence


def test_guesses_of_an_attack_that_learns_give_no_alarm() -> None:
    """A better attack every time, its mistakes drawn anew: each finds five people more."""
    for number in range(20):
        rng = np.random.default_rng(chance.seed(number))
        truth = truth_of(number)
        guesses = []
        for found in range(0, 36, 5):
            guess = rng.permutation(PEOPLE)
            right = rng.choice(PEOPLE, found, replace=False)
            guess[right] = truth[right]
            guesses.append(guess)
        hits = [int(np.count_nonzero(guess == truth)) for guess in guesses]
        assert not climbing(guesses, hits).is_lit
