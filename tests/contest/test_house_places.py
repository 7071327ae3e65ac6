"""The house plays beside the teams: marked, in the order of its totals, without a place; or with one."""

from __future__ import annotations

import csv
import datetime
import io
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import queries
from contest.board.matrix import attackers, matrix
from contest.files import vault
from contest.models import AuditEvent, Commitment, Entry, Phase, Round, Standing, Team, User
from contest.services.board_versions import bump_board
from contest.services.commitments import verify_commitment
from contest.services.committed_facts import facts_of
from contest.services.house import request_house_entry
from contest.services.phase_clock import run_clock
from contest.services.settings import change_round
from contest.services.standings_history import record_standings
from contest.services.team_attacks import submit_guesses
from tests.contest.test_organise_settings import form_of, save, send
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db

DAY = datetime.timedelta(days=1)
SETTINGS = ("organise_round_settings", "practice")
FIGURES = {"House · shuffle": (90.0, 1), "Tanuki": (80.0, 2), "House · swap": (60.0, 3), "Kitsune": (50.0, 4)}
"""Utility and most hits; by the rule of 2016, of which the higher total wins, in this order."""


@pytest.fixture
def round_() -> Round:
    """The house has the highest total, then Tanuki, the house again, and Kitsune."""
    oni, now = make_user("oni"), timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - DAY, now + DAY),
        (Phase.Kind.ATTACK, now - DAY, now + DAY),
        (Phase.Kind.RESULTS, now + DAY, now + 2 * DAY),
    ]
    round_ = make_round(make_contest(oni, slug="demo"), phases=phases)
    for seed, method in enumerate(("shuffle", "swap"), start=1):
        request_house_entry(round_, oni, method, {}, seed)
    for seed, name in enumerate(("Tanuki", "Kitsune"), start=11):
        team = make_team(round_.contest, name, make_user(name.lower()))
        make_entry(round_, team, entry_files("swap", seed))
    work_off()
    for name, (utility, hits) in FIGURES.items():
        entry = Entry.objects.get(team__name__startswith=name)
        Entry.objects.filter(pk=entry.pk).update(utility=utility, numbers={"hits": hits})
    bump_board(round_.pk)
    return Round.objects.select_related("contest").get(pk=round_.pk)


@pytest.fixture
def organiser(client: Client, round_: Round) -> Client:
    client.force_login(User.objects.get(name_key="oni"))
    return client


def give_places(round_: Round) -> Round:
    oni = User.objects.get(name_key="oni")
    change_round(round_, oni, round_.settings_version, {"house_takes_places": True}, "as in the spring")
    return Round.objects.select_related("contest").get(pk=round_.pk)


def ranks(round_: Round) -> list[tuple[int | None, str]]:
    return [(row.rank, row.team_name.partition(" (")[0]) for row in queries.board(round_, None, True)]


def test_a_new_round_ranks_the_teams_and_shows_the_house_between_them(round_: Round) -> None:
    assert ranks(round_) == [
        (None, "House · shuffle"), (1, "Tanuki"), (None, "House · swap"), (2, "Kitsune")
    ]  # fmt: skip
    totals = [row.total for row in queries.board(round_, None, True)]
    assert totals == sorted((total for total in totals if total is not None), reverse=True)
    assert ranks(give_places(round_)) == [
        (1, "House · shuffle"), (2, "Tanuki"), (3, "House · swap"), (4, "Kitsune")
    ]  # fmt: skip
    assert [row.total for row in queries.board(Round.objects.get(), None, True)] == totals


@pytest.mark.parametrize(
    ("language", "mark", "spoken", "why"),
    [
        (
            "en",
            "house",
            "house, without a place",
            "House entries are shown beside the teams, without a place",
        ),
        ("ja", "標準", "標準、順位なし", "標準エントリーは、順位を付けずにチームと並べて示します"),
    ],
)
def test_the_page_marks_the_house_and_says_that_it_has_no_place(
    client: Client, round_: Round, language: str, mark: str, spoken: str, why: str
) -> None:
    page = client.get(round_.get_absolute_url(), headers={"accept-language": language}).content.decode()
    rows = re.findall(r'<tr class="house">.*?</tr>', page, re.DOTALL)
    assert len(rows) == 2
    for row in rows:
        assert f'<span class="sr-only">{spoken}</span>' in row
        assert f'<span class="badge">{mark}</span>' in row
    assert re.findall(r'class="num rank">(\d+)<', page) == ["1", "2"]
    assert why in page
    give_places(round_)
    page = client.get(round_.get_absolute_url(), headers={"accept-language": language}).content.decode()
    assert re.findall(r'class="num rank">(\d+)<', page) == ["1", "2", "3", "4"]
    assert spoken not in page
    assert why not in page
    assert f'<span class="badge">{mark}</span>' in page


def test_a_board_without_the_house_does_not_speak_of_it(client: Client, round_: Round) -> None:
    Entry.objects.filter(team__is_house=True).update(is_official=False)
    bump_board(round_.pk)
    assert b"beside the teams" not in client.get(round_.get_absolute_url()).content


def test_rules_say_whether_the_house_takes_places(client: Client, round_: Round) -> None:
    url = reverse("rules", args=["demo", "practice"])
    assert b"House entries and house attacks are shown beside the teams, without a place." in (
        client.get(url).content
    )
    give_places(round_)
    assert b"House entries and house attacks take places like those of teams." in client.get(url).content


def test_the_entry_of_the_house_has_a_total_and_no_place(client: Client, round_: Round) -> None:
    entry = Entry.objects.get(team__name__startswith="House · shuffle")
    page = client.get(entry.get_absolute_url())
    assert (page.context["rank"], page.context["total"]) == (None, pytest.approx(90 + 100 * 11 / 12))
    assert b"House entries are shown beside the teams, without a place." in page.content
    assert "rank" not in dict(page.context["explained"])
    how = reverse("how", args=["demo", "practice", entry.pk, "rank"])
    assert client.get(how).status_code == 404
    give_places(round_)
    assert client.get(entry.get_absolute_url()).context["rank"] == 1
    assert client.get(how).context["explained"].value == 1


def test_the_place_of_a_team_is_explained_among_teams_alone(client: Client, round_: Round) -> None:
    entry = Entry.objects.get(team__name="Kitsune")
    explained = client.get(reverse("how", args=["demo", "practice", entry.pk, "rank"])).context["explained"]
    assert explained.value == 2
    assert [name for name, _total, _cell in explained.inputs] == ["#1 Tanuki", "#2 Kitsune"]


def test_files_of_the_board_leave_the_place_of_the_house_empty(client: Client, round_: Round) -> None:
    def file(kind: str) -> Any:
        return client.get(reverse("board_export", args=["demo", "practice", kind]))

    rows = list(csv.DictReader(io.StringIO(file("csv").content.decode("utf-8-sig"))))
    assert [(row["rank"], row["is_house"]) for row in rows] == [
        ("", "True"), ("1", "False"), ("", "True"), ("2", "False")
    ]  # fmt: skip
    facts = file("json").json()
    assert facts["house_takes_places"] is False
    assert [(row["rank"], row["is_house"]) for row in facts["rows"]] == [
        (None, True), (1, False), (None, True), (2, False)
    ]  # fmt: skip
    give_places(round_)
    assert [row["rank"] for row in file("json").json()["rows"]] == [1, 2, 3, 4]


def seek(round_: Round) -> None:
    """Kitsune finds one of Tanuki, where the house attack finds everybody or nobody."""
    target = Entry.objects.get(team__name="Tanuki")
    truth = vault.truth_of(target)
    guess = "".join(f"{row + 1 if place == 0 else '-'}\n" for place, row in enumerate(truth)).encode()
    kitsune = Team.objects.get(name="Kitsune")
    submit_guesses(round_, kitsune, User.objects.get(name_key="kitsune"), {target.pk: io.BytesIO(guess)})
    work_off()


def test_seekers_are_ranked_among_teams_with_the_house_beside_them(client: Client, round_: Round) -> None:
    seek(round_)
    rows = attackers(matrix(round_), None)
    shares = [row.mean_percent for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert [(row.rank, row.name, row.is_house) for row in rows] == [
        (None, "re-itemset", True), (1, "Kitsune", False)
    ]  # fmt: skip
    url = reverse("matrix", args=["demo", "practice"])
    page = client.get(url).content.decode()
    assert "House attacks are shown beside the teams, without a place." in page
    assert page.count("house, without a place") == 1
    japanese = client.get(url, headers={"accept-language": "ja"}).content.decode()
    assert "標準攻撃は、順位を付けずにチームと並べて示します。" in japanese
    assert japanese.count("標準、順位なし") == 1
    fresh = give_places(round_)
    assert [row.rank for row in attackers(matrix(fresh), None)] == [1, 2]
    assert "without a place" not in client.get(url).content.decode()


def test_history_draws_teams_and_lists_the_house_apart(client: Client, round_: Round) -> None:
    now = timezone.now()
    assert record_standings(now) == 1
    kept = Standing.objects.get().places
    assert [place["rank"] for place in kept] == [None, 1, None, 2]
    assert [place.get("is_house", False) for place in kept] == [True, False, True, False]
    assert record_standings(now + 2 * DAY) == 0
    url = reverse("rank_history", args=["demo", "practice"])
    page = client.get(url)
    history = page.context["history"]
    assert [(line.team.name, line.ranks) for line in history.lines] == [("Tanuki", [1]), ("Kitsune", [2])]
    assert [beside.team.name.partition(" (")[0] for beside in history.house] == [
        "House · shuffle", "House · swap"
    ]  # fmt: skip
    assert "The house, without a place" in page.content.decode()
    assert "標準エントリー（順位なし）" in client.get(url, headers={"accept-language": "ja"}).content.decode()
    # What was so stays so: the earlier moment keeps the places that it had.
    give_places(round_)
    assert record_standings(now + 3 * DAY) == 1
    history = client.get(url).context["history"]
    found = {line.team.name.partition(" (")[0]: line.ranks for line in history.lines}
    assert found == {
        "House · shuffle": [None, 1], "Tanuki": [1, 2], "House · swap": [None, 3], "Kitsune": [2, 4]
    }  # fmt: skip
    assert history.house == []


def test_the_switch_shows_what_follows_and_is_told_to_everybody(organiser: Client, round_: Round) -> None:
    data = form_of(organiser, *SETTINGS) | {"reason": "as in the spring"}
    assert data["house_takes_places"] == "False"
    data["house_takes_places"] = "on"
    shown = send(organiser, data, *SETTINGS)
    found = {item.code: (item.count, item.text) for item in shown.context["consequences"]}
    assert found == {
        "places-change": (2, "2 teams change their places."),
        "house-takes-places": (
            2, "The house takes places from now on: 2 house entries on the board, and its attacks."
        ),
    }  # fmt: skip
    assert not Round.objects.get().house_takes_places
    assert save(organiser, data, *SETTINGS).status_code == 302
    assert Round.objects.get().house_takes_places
    event = AuditEvent.objects.get(verb="round.changed")
    assert (event.before, event.after) == ({"house_takes_places": False}, {"house_takes_places": True})
    visitor = Client()
    changes = visitor.get(reverse("changes", args=["demo"])).content.decode()
    assert "Practice: settings were changed." in changes
    assert "The house takes places: no → yes" in changes
    assert "as in the spring" in changes
    back = form_of(organiser, *SETTINGS) | {"reason": "teams first"}
    back["house_takes_places"] = "false"
    shown = send(organiser, back, *SETTINGS)
    codes = {item.code: item.count for item in shown.context["consequences"]}
    assert codes == {"places-change": 2, "house-takes-no-place": 2}
    assert save(organiser, back, *SETTINGS).status_code == 302
    answer = visitor.get(reverse("changes", args=["demo"]), headers={"accept-language": "ja"})
    assert "Practice：設定が変更されました。" in answer.content.decode()
    assert "標準エントリーと標準攻撃にも順位を付ける: はい → いいえ" in answer.content.decode()


def test_a_committed_board_is_withdrawn_and_committed_with_other_places(round_: Round) -> None:
    later = timezone.now() + 1.5 * DAY
    run_clock(later)
    first = Commitment.objects.get(what="board")
    assert [row["rank"] for row in facts_of(round_, Commitment.What.BOARD)] == [None, 1, None, 2]
    assert verify_commitment(first).ok
    give_places(Round.objects.get())
    run_clock(later)
    old, new = Commitment.objects.filter(what="board").order_by("version")
    assert old.withdrawn_at is not None
    assert verify_commitment(new).ok
    assert [row["rank"] for row in facts_of(Round.objects.get(), Commitment.What.BOARD)] == [1, 2, 3, 4]
