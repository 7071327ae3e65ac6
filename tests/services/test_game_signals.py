"""Signals of cheating in rounds of any game: copies light up, honest teams do not, for organisers alone."""

from __future__ import annotations

import os

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from contest.models import Attack, Entry, Job, Round, Signal, Team, User
from contest.play.boxes import public_box
from contest.play.evidence import keep_evidence
from contest.play.table import Table
from contest.services.attacks import add_house_attack
from contest.services.house import request_house_entry
from contest.services.signals import request_signals
from contest.services.tokens import create_token
from games.contract.values import Result
from tests.factories import make_entry, make_team, work_off
from tests.game_rounds import (
    TOYS,
    answer,
    attack_files,
    game_contest,
    make_game_round,
    method_files,
    sources_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _toys_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAKURENBO_GAMES", os.pathsep.join(map(str, TOYS.values())))


@pytest.fixture
def teams() -> list[Team]:
    """Three teams in a round of the skeleton: one that hides by noise is the target of the others."""
    contest, package = game_contest(TOYS["skeleton"])
    made = [make_team(contest, name) for name in ("Aki", "Haru", "Natsu")]
    round_ = make_game_round(
        contest,
        package,
        sources_of(TOYS["skeleton"]),
        secret_seed="signals",
        attacks_per_day=100,
        params={"limit-age": 100, "limit-spent": 1000},
    )
    make_entry(round_, made[2], method_files(round_, made[2], "noise"))
    work_off()
    return made


def round_of(teams: list[Team]) -> Round:
    return Round.objects.select_related("contest", "dataset", "game").get(contest=teams[0].contest)


def organiser(round_: Round) -> User:
    return round_.contest.organisers.select_related("user").get().user


def looked(round_: Round) -> list[Signal]:
    request_signals(round_, organiser(round_))
    work_off()
    assert not Job.objects.filter(kind=Job.Kind.SIGNALS).exclude(state=Job.State.DONE).exists()
    return list(Signal.objects.filter(round=round_))


def scores(round_: Round, team: Team, values: np.ndarray) -> Attack:
    """An answer about the target of this module."""
    target = Entry.objects.get(round=round_, team__name="Natsu")
    sent = answer(round_, team, {f"{target.key}.csv": "".join(f"{value:.6f}\n" for value in values).encode()})
    work_off()
    sent.refresh_from_db()
    assert sent.state == Attack.State.JUDGED, sent.problems
    return sent


def n_candidates(round_: Round, team: Team) -> int:
    files = attack_files(round_, team, "blind")
    return len(next(iter(files.values())).splitlines())


def test_honest_entries_and_answers_light_nothing(teams: list[Team]) -> None:
    round_ = round_of(teams)
    for team in teams[:2]:
        make_entry(round_, team, method_files(round_, team, "noise"))
    work_off()
    for attack in ("nearest", "blind"):
        for team in teams[:2]:
            answer(round_, team, attack_files(round_, team, attack))
            work_off()
    assert looked(round_) == []


def test_teams_that_publish_the_same_rows_are_reported(teams: list[Team]) -> None:
    round_ = round_of(teams)
    files = method_files(round_, teams[0], "noise")
    near = {name: content.replace(b"1", b"2", 3) for name, content in files.items()}
    for team, content in ((teams[0], files), (teams[1], near)):
        make_entry(round_, team, content)
    work_off()
    assert Entry.objects.filter(round=round_, state=Entry.State.VALID).count() == 3
    (signal,) = looked(round_)
    assert (signal.kind, signal.entry.team, signal.other and signal.other.team) == (
        "near-duplicate",
        teams[0],
        teams[1],
    )
    assert signal.detail["by_chance"] < 0.1
    assert signal.strength > 0.9


def test_rows_that_the_house_published_too_are_no_copy(teams: list[Team]) -> None:
    round_ = round_of(teams)
    request_house_entry(round_, None, "noise", {"width": 30.0})
    work_off()
    house = Entry.objects.get(round=round_, team__is_house=True)
    files = {}
    with public_box(house.published).open("release.csv") as stream:
        files["release.csv"] = stream.read()
    for team in teams[:2]:
        make_entry(round_, team, files)
    work_off()
    assert Entry.objects.filter(round=round_, state=Entry.State.VALID).count() == 4
    assert looked(round_) == []


def test_a_copied_answer_is_reported_unless_the_house_says_the_same(teams: list[Team]) -> None:
    round_ = round_of(teams)
    own = np.random.default_rng(3).random(n_candidates(round_, teams[0]))
    for team in teams[:2]:
        scores(round_, team, own)
    (signal,) = looked(round_)
    assert signal.kind == "same-answers"
    assert signal.attack is not None and signal.other_attack is not None
    assert {signal.attack.team, signal.other_attack.team} == set(teams[:2])
    assert signal.detail == {"challenge": "member", "compared": len(own), "the_same": len(own)}
    # Both now send what a house attack of the round answers.
    add_house_attack(round_, "nearest")
    work_off()
    for team in teams[:2]:
        answer(round_, team, attack_files(round_, team, "nearest"))
        work_off()
    assert looked(round_) == []


def test_where_people_found_are_known_mistakes_are_compared(teams: list[Team]) -> None:
    round_ = round_of(teams)
    own = np.random.default_rng(3).random(n_candidates(round_, teams[0]))
    for team in teams[:2]:
        run = scores(round_, team, own).runs.get()
        found = keep_evidence(Result(run.risk, evidence={"found": np.arange(5)}))
        type(run).objects.filter(pk=run.pk).update(evidence_sha256=found)
    (signal,) = looked(round_)
    assert signal.kind == "shared-mistakes"
    assert signal.detail["compared"] == len(own) - 5


@pytest.mark.parametrize(("feedback", "lit"), [("full", ["climbing"]), ("none", [])])
def test_a_team_that_climbs_by_what_it_is_told_is_reported(
    teams: list[Team], feedback: str, lit: list[str]
) -> None:
    round_ = round_of(teams)
    Round.objects.filter(pk=round_.pk).update(feedback=feedback)
    n_asked = n_candidates(round_, teams[0])
    best, guess = 0.0, np.full(n_asked, 0.5)
    first = scores(round_, teams[0], guess).runs.get().risk
    for row in range(10):
        tried = guess.copy()
        tried[row] = 1.0
        told = scores(round_, teams[0], tried).runs.get().risk or 0.0
        if told > best:
            best, guess = told, tried
    assert first == 0.0 < best
    assert [signal.kind for signal in looked(round_)] == lit
    if lit:
        signal = Signal.objects.get()
        assert signal.attack is not None
        assert signal.attack.team == teams[0]
        assert signal.detail["risk_gained"] == round(best, 4)


def test_only_organisers_see_them_and_nothing_names_a_person(client: Client, teams: list[Team]) -> None:
    round_ = round_of(teams)
    own = np.random.default_rng(3).random(n_candidates(round_, teams[0]))
    for team in teams[:2]:
        scores(round_, team, own)
    (signal,) = looked(round_)
    member = teams[0].memberships.select_related("user").get().user
    assert all(isinstance(value, int | float) for name, value in signal.detail.items() if name != "challenge")
    client.force_login(organiser(round_))
    page = client.get(
        reverse("organise_signals", args=[round_.contest.slug]), headers={"accept-language": "en"}
    )
    assert "two teams give nearly the same answer" in page.content.decode()
    path = reverse("api-signals", args=[round_.contest.slug, round_.slug])
    token = {
        user: create_token(user, "laptop", ["read", "organise"], 7) for user in (organiser(round_), member)
    }
    told = client.get(path, headers={"authorization": f"Bearer {token[organiser(round_)]}"}).json()
    assert [row["kind"] for row in told["results"]] == ["same-answers"]
    client.force_login(member)
    assert client.get(reverse("organise_signals", args=[round_.contest.slug])).status_code == 404
    assert client.get(path, headers={"authorization": f"Bearer {token[member]}"}).status_code == 404


@pytest.mark.parametrize("name", ["pair", "pool", "locket"])
def test_every_shape_of_answers_and_entries_can_be_compared(name: str) -> None:
    contest, package = game_contest(TOYS[name])
    teams = [make_team(contest, "Aki"), make_team(contest, "Haru")]
    round_ = make_game_round(contest, package, sources_of(TOYS[name]))
    declared = Table(round_).declared
    for team in teams:
        make_entry(round_, team, method_files(round_, team), slot=declared.slots[0])
    work_off()
    for team in teams:
        answer(round_, team, attack_files(round_, team, declared.attacks[0].name))
    work_off()
    assert {signal.kind for signal in looked(round_)} <= {"near-duplicate"}
