"""The ranking function, by hand-checked rows."""

from __future__ import annotations

import math
import random

import pytest

from contest.ranking import RANKINGS, Result, find_ranking, rank


def keys(results: list[Result], rule: str) -> list[int]:
    return [place.result.key for place in rank(results, find_ranking(rule))]


def test_2016_adds_utility_and_the_share_not_found() -> None:
    places = rank([Result(1, 70.0, 100, 400, 0.0)], find_ranking("2016"))
    assert places[0].total == 70.0 + 75.0


def test_2024_takes_away_twice_what_is_missing_to_50() -> None:
    # U = 40, A = 30: 40 + 30 − 2·10 − 2·20 = 10, by the published formula.
    places = rank([Result(1, 40.0, 70, 100, 0.0)], find_ranking("2024"))
    assert places[0].total == 10.0


def test_2026_takes_the_weaker_side() -> None:
    assert rank([Result(1, 90.0, 80, 100, 0.0)], find_ranking("2026"))[0].total == 20.0


def test_ties_follow_the_whole_chain() -> None:
    later = Result(1, 60.0, 40, 100, received=2.0)
    earlier = Result(2, 60.0, 40, 100, received=1.0)
    safer = Result(3, 50.0, 30, 100, received=9.0)
    same_instant = Result(4, 60.0, 40, 100, received=1.0)
    assert keys([later, earlier, safer, same_instant], "2016") == [3, 2, 4, 1]


@pytest.mark.parametrize("rule", [ranking.name for ranking in RANKINGS])
def test_what_has_no_number_never_ranks(rule: str) -> None:
    rows = [
        Result(1, None, 0, 100, 0.0),
        Result(2, 10.0, None, 100, 0.0),
        Result(3, math.nan, 5, 100, 0.0),
        Result(4, 1.0, 100, 100, 5.0),
    ]
    places = rank(rows, find_ranking(rule))
    assert [(place.rank, place.result.key) for place in places if place.rank] == [(1, 4)]
    assert all(place.total is None for place in places[1:])


@pytest.mark.parametrize("rule", [ranking.name for ranking in RANKINGS])
def test_the_order_of_input_does_not_matter(rule: str) -> None:
    chance = random.Random(5)
    rows = [
        Result(key, chance.choice([10.0, 50.0, 90.0]), chance.randrange(0, 100, 25), 100, float(key % 3))
        for key in range(50)
    ]
    expected = keys(rows, rule)
    for _ in range(5):
        chance.shuffle(rows)
        assert keys(rows, rule) == expected
