"""A demo of a game: sample entries and answers end on a board, at once or as a season that is over."""

from __future__ import annotations

import os
from typing import Any

import pytest

from contest.models import Attack, AttackRun, Entry, Round, StoredBoard
from contest.services.demo import TEAMS
from contest.work import game_demo
from contest.work.game_demo import play_game_demo
from games.checks import Covered, check_answer
from tests.game_rounds import TOYS

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


def placed(round_: Round) -> set[str]:
    board = StoredBoard.objects.get(round=round_, view=StoredBoard.View.FINAL, name="main")
    return {row["key"] for row in board.rows if row["place"] is not None}


@pytest.mark.parametrize("is_season", [False, True])
def test_every_team_has_a_place(is_season: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if is_season:
        monkeypatch.setattr(game_demo, "waits_for_publication", lambda declared: ["late.csv"])
    said: list[str] = []
    round_ = play_game_demo("skeleton", said.append).rounds.get()
    assert placed(round_) == set(TEAMS.values())
    entries = Entry.objects.filter(round=round_)
    assert entries.filter(team__is_house=True, state=Entry.State.VALID).exists()
    answers = Attack.objects.filter(round=round_, kind=Attack.Kind.GUESS)
    assert {answer.state for answer in answers} == {Attack.State.JUDGED}
    assert answers.count() == len(TEAMS)
    assert (round_.revealed_at is not None) is is_season
    assert play_game_demo("skeleton", said.append).rounds.get() == round_, "a demo that is there stays"
    assert said[-1] == "demo-skeleton is there already."


def test_the_house_leaves_out_what_it_cannot_ask_about_its_own_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in PWSCUP 2026, where nobody is asked about the own cohort."""

    def no_pairs(*given: Any) -> Covered:
        return check_answer(*given)._replace(pairs=())

    monkeypatch.setattr("contest.work.game_attacks.check_answer", no_pairs)
    round_ = play_game_demo("skeleton", lambda text: None).rounds.get()
    runs = AttackRun.objects.filter(attack__round=round_, attack__kind=Attack.Kind.HOUSE)
    of_house = runs.filter(entry__team__is_house=True)
    assert {(run.state, run.reason["code"]) for run in of_house} == {("refused", "attack.own-seat")}
    assert {run.state for run in runs.exclude(pk__in=of_house)} == {AttackRun.State.FAILED}
