"""The ranking function, by hand-checked rows."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest

from contest.board.ranking import RANKINGS, Result, find_ranking, rank


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


def test_what_takes_no_place_is_ordered_like_all_others_and_not_counted() -> None:
    rows = [
        Result(1, 60.0, 40, 100, received=2.0),
        Result(2, 60.0, 40, 100, received=1.0, takes_place=False),
        Result(3, 50.0, 90, 100, received=3.0),
        Result(4, 90.0, 10, 100, received=4.0, takes_place=False),
        Result(5, None, None, 100, received=5.0, takes_place=False),
    ]
    places = rank(rows, find_ranking("2016"))
    # 90 + 90; 60 + 60 twice, of which the earlier upload is the house's; 50 + 10.
    assert [(place.rank, place.result.key, place.total) for place in places] == [
        (None, 4, 180.0), (None, 2, 120.0), (1, 1, 120.0), (2, 3, 60.0), (None, 5, None)
    ]  # fmt: skip


@pytest.mark.parametrize("rule", [ranking.name for ranking in RANKINGS])
def test_places_of_teams_are_those_of_a_board_without_the_house(rule: str) -> None:
    chance = random.Random(11)
    rows = [
        Result(
            key,
            chance.choice([10.0, 50.0, 90.0, None]),
            chance.randrange(0, 100, 25),
            100,
            float(key % 3),
            takes_place=chance.random() < 0.6,
        )
        for key in range(60)
    ]
    with_house = rank(rows, find_ranking(rule))
    teams = [row for row in rows if row.takes_place]
    alone = {place.result.key: place for place in rank(teams, find_ranking(rule))}
    shown = {place.result.key: place for place in with_house if place.result.takes_place}
    assert shown == alone
    assert [place.rank for place in with_house if not place.result.takes_place] == [None] * (60 - len(teams))
    placed = [dataclasses.replace(row, takes_place=True) for row in rows]
    order = [place.result.key for place in rank(placed, find_ranking(rule))]
    assert [place.result.key for place in with_house] == order


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
