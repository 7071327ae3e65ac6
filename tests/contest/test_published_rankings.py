"""The ranking presets against what organisers published."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from contest.board.ranking import Played, Result, find_ranking, rank, rank_overall

TEAMS = 22


@dataclass(frozen=True)
class PublishedRow:
    """A team of PWSCUP 2024's table of the main round, and the overall table beside it."""

    hits: list[int]
    anonymity: float
    utility: float
    total: float
    rank: int
    preliminary: float
    overall: float
    overall_rank: int

    @property
    def submitted(self) -> bool:
        return self.rank > 0


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[int, PublishedRow]:
    from openpyxl import load_workbook

    sheet = load_workbook(shared_data / "published" / "pwscup2024_main_and_overall.xlsx", data_only=True)
    table = {}
    for row in sheet.worksheets[0].iter_rows(min_row=3, max_row=2 + TEAMS, values_only=True):
        # Columns 01 to 22 are the attacks of teams; `sample`, the organisers' own attack, did not count.
        table[int(str(row[1]))] = PublishedRow(list(row[2 : 2 + TEAMS]), *row[25:32])
    return table


def results_2024(published: dict[int, PublishedRow]) -> list[Result]:
    return [
        Result(team, row.utility, max(row.hits), 100, received=0.0) if row.submitted
        # Team 13 handed in nothing: the published table shows zeros, here it has no number.
        else Result(team, None, None, 100, received=0.0)
        for team, row in published.items()
    ]  # fmt: skip


def test_2024s_totals_and_ranks_follow_from_utility_and_hits(published: dict[int, PublishedRow]) -> None:
    assert len(published) == TEAMS
    places = {place.result.key: place for place in rank(results_2024(published), find_ranking("2024"))}
    for team, row in published.items():
        if row.submitted:
            assert places[team].result.safety == row.anonymity
            assert places[team].total == pytest.approx(row.total, abs=1e-9)
            assert places[team].rank == row.rank, team
        else:
            assert places[team].rank is None


def test_2024s_overall_ranking_is_a_tenth_preliminary_and_nine_tenths_final(
    published: dict[int, PublishedRow],
) -> None:
    final = {place.result.key: place.total for place in rank(results_2024(published), find_ranking("2024"))}
    # A preliminary total of 0 in the table is a team that had no entry there.
    preliminary = {team: row.preliminary or None for team, row in published.items()}
    overall = {place.key: place for place in rank_overall([Played(0.1, preliminary), Played(0.9, final)])}
    for team, row in published.items():
        if row.submitted:
            assert overall[team].total == pytest.approx(row.overall, abs=1e-9)
            assert overall[team].rank == row.overall_rank, team
        else:
            assert overall[team].rank is None


def test_2018s_verdict_is_the_published_table_of_r(shared_data: Path) -> None:
    rule = find_ranking("2018")
    lines = (shared_data / "pwscup2018" / "R.csv").read_text().split()
    assert len(lines) > 100
    for line in lines:
        guesses, bound = map(int, line.split(","))
        below, at = (
            rank([Result(1, 50.0, hits, 100_000, 0.0, guesses=guesses)], rule)[0]
            for hits in (bound - 1, bound)
        )
        assert (below.verdict, at.verdict) == ("", "shot down"), line


def test_2018_puts_the_shot_down_behind_all_others_then_the_lower_loss_wins() -> None:
    rows = [
        Result(1, 90.0, 100, 100, 0.0, loss=0.01),
        Result(2, 50.0, 10, 100, 0.0, loss=0.4),
        Result(3, 50.0, 64, 100, 0.0, loss=0.3),
        Result(4, 50.0, 65, 100, 0.0, loss=0.02),
    ]
    # r(100) = 65 in the published table R.
    places = rank(rows, find_ranking("2018"))
    assert [(place.result.key, place.verdict) for place in places] == [
        (3, ""), (2, ""), (1, "shot down"), (4, "shot down")
    ]  # fmt: skip


def test_2017_halves_the_worst_loss_and_the_worst_risk() -> None:
    # AT_sample.csv has max E = 0.947189 (published); S6 on T100 of S_drill is .376.
    rows = [
        Result(1, 0.0, 188, 500, 0.0, loss=0.947189, risk=0.376),
        Result(2, 0.0, 10, 500, 0.0, loss=0.5, risk=0.2),
    ]
    places = rank(rows, find_ranking("2017"))
    assert [(place.result.key, place.total) for place in places] == [
        (2, 0.35), (1, pytest.approx(0.6615945))
    ]  # fmt: skip


def test_2025_takes_the_penalty_from_the_safety_but_never_below_zero() -> None:
    # A = max(0, (10000 − 2500)/100 − 5) = 70 and max(0, 1 − 5) = 0; the total is U + A, with nothing of
    # 2024's terms for what is missing to 50 (guide book of the final, version 1.2).
    rows = [
        Result(1, 60.0, 2500, 10_000, 0.0, penalty=5.0),
        Result(2, 60.0, 9900, 10_000, 0.0, penalty=5.0),
        Result(3, 40.0, 5500, 10_000, 0.0, penalty=0.0),
    ]
    places = rank(rows, find_ranking("2025"))
    assert [(place.result.key, place.total) for place in places] == [(1, 130.0), (3, 85.0), (2, 60.0)]


def test_2025s_totals_are_those_of_the_organisers_counting_program(shared_data: Path) -> None:
    """Four teams attack each other with files of 100,000 lines; hits by the organisers' own program.

    Penalty, anonymity and total are by the formulas of the guide book. Team 04 is below 50: with the two
    terms of 2024 it would lose 3.34 points.
    """
    golden = json.loads((shared_data / "pwscup2025" / "golden.json").read_text(encoding="utf-8"))
    teams = {int(row["team"]): row for row in golden["mini_contest"] if "team" in row}
    assert len(teams) == 4
    rows = [
        Result(team, row["utility_given"], max(row["hits_by_attacker"]), 10_000, 0.0, penalty=row["penalty"])
        for team, row in teams.items()
    ]
    places = rank(rows, find_ranking("2025"))
    assert [place.result.key for place in places] == sorted(teams, key=lambda team: -teams[team]["total"])
    for place in places:
        assert place.total == pytest.approx(teams[place.result.key]["total"], abs=1e-9)
    assert min(row["anonymity"] for row in teams.values()) < 50


def test_a_practice_of_weight_0_does_not_count_and_gives_nobody_a_rank() -> None:
    places = rank_overall([Played(0.0, {1: 90.0, 2: 10.0}), Played(1.0, {2: 50.0, 3: float("nan")})])
    assert [(place.key, place.rank) for place in places] == [(2, 1), (1, None), (3, None)]


def test_overall_ties_go_to_the_better_last_round() -> None:
    places = rank_overall([Played(0.5, {1: 100.0, 2: 50.0}), Played(0.5, {1: 50.0, 2: 100.0})])
    assert [place.key for place in places] == [2, 1]
