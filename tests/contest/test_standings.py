"""What stands behind a board: files that no spreadsheet computes, how places went, every number explained."""

from __future__ import annotations

import csv
import datetime
import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.board import queries
from contest.files import vault
from contest.files.spreadsheet import safe_text
from contest.models import AttackRun, Entry, Phase, Round, Standing, Team, User
from contest.models.round import Feedback
from contest.services.entry_marks import void_entry
from contest.services.phase_clock import run_clock
from contest.services.standings_history import record_standing, record_standings
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni"), slug="demo"))


@pytest.fixture
def entries(round_: Round) -> list[Entry]:
    make_entry(round_, make_team(round_.contest, "=1+1", make_user("tanuki")), entry_files("shuffle", 1))
    make_entry(round_, make_team(round_.contest, "Kitsune"), entry_files("swap", 9))
    work_off()
    return list(Entry.objects.select_related("team", "round__contest").order_by("pk"))


def board(kind: str) -> str:
    return reverse("board_export", args=["demo", "practice", kind])


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t=1", "  =1", "＝1+1", "＠SUM(1)", "－1"])
def test_what_looks_like_a_formula_is_a_text(text: str) -> None:
    assert safe_text(text).strip() == f"'{text.strip()}"
    assert safe_text(f"a;{text}").replace("'", "") == f"a;{text}" != safe_text(f"a;{text}")
    assert safe_text(f"a{text.strip()}") == f"a{text.strip()}"


def test_the_board_as_a_file_holds_the_numbers_of_the_page(
    client: Client, round_: Round, entries: list[Entry]
) -> None:
    page = client.get(round_.get_absolute_url()).context["rows"]
    text = client.get(board("csv")).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["rank"], row["total"], row["hits"]) for row in rows] == [
        (str(row.rank), str(row.total), str(row.hits)) for row in page
    ]
    assert {row["team_name"] for row in rows} == {"'=1+1", "Kitsune"}
    facts = client.get(board("json")).json()
    assert [row["team_name"] for row in facts["rows"]] == [row.team_name for row in page]
    assert facts["rows"][0]["ut-jaccard"] == page[0].measures[0].value
    assert client.get(board("xlsx")).status_code == 404


def hidden_round() -> Round:
    now = timezone.now()
    phases = [
        (Phase.Kind.ANONYMISE, now - HOUR, now + HOUR),
        (Phase.Kind.RESULTS, now + HOUR, now + 2 * HOUR),
    ]
    return make_round(make_contest(make_user("oni"), slug="demo"), phases=phases, feedback=Feedback.NONE)


def test_before_the_reveal_nothing_tells_what_attacks_found(client: Client) -> None:
    round_ = hidden_round()
    owner = make_user("tanuki")
    entry = make_entry(round_, make_team(round_.contest, "Tanuki", owner))
    work_off()
    record_standings()
    assert Standing.objects.count() == 1
    rows = client.get(board("json")).json()["rows"]
    assert [(row["rank"], row["hits"], row["safety"]) for row in rows] == [(None, None, None)]
    history = reverse("rank_history", args=["demo", "practice"])
    assert client.get(history).context["history"] is None

    def how(cell: str) -> str:
        return reverse("how", args=["demo", "practice", entry.pk, cell])

    run = AttackRun.objects.get().pk
    member, organiser = Client(), Client()
    member.force_login(owner)
    organiser.force_login(User.objects.get(name_key="oni"))
    for cell in ("hits", "safety", "total", "rank", f"run-{run}"):
        answers = [caller.get(how(cell)).status_code for caller in (client, member, organiser)]
        assert answers == [404, 404, 200], cell
    assert [caller.get(how("utility")).status_code for caller in (client, member)] == [404, 200]
    assert organiser.get(history).context["history"].lines
    run_clock(timezone.now() + 1.5 * HOUR)
    Phase.objects.filter(kind="results").update(starts_at=timezone.now() - HOUR)
    assert client.get(how("total")).status_code == 200


def test_every_number_of_the_board_says_how_it_was_computed(
    client: Client, round_: Round, entries: list[Entry]
) -> None:
    for row in queries.board(Round.objects.select_related("contest", "dataset").get(), None, True):
        shown = {cell.name: cell.value for cell in row.measures}
        shown |= {"utility": row.utility, "safety": row.safety, "hits": row.hits, "total": row.total}
        shown["rank"] = row.rank
        for cell, value in shown.items():
            page = client.get(f"{row.entry_url}how/{cell}/")
            assert page.status_code == 200, cell
            assert page.context["explained"].value == value, cell
    entry = entries[0]
    for run in entry.attack_runs.all():
        explained = client.get(reverse("how", args=["demo", "practice", entry.pk, f"run-{run.pk}"]))
        assert explained.context["explained"].value == run.hits
    measure = client.get(reverse("how", args=["demo", "practice", entry.pk, "ut-jaccard"]))
    assert entry.published["T.csv"].encode() in measure.content
    assert round_.dataset.files["M.csv"].encode() in measure.content
    assert vault.truth_name(entry).encode() not in measure.content
    for cell in ("nothing", "run-0", "run-x", f"run-{'9' * 30}"):
        assert client.get(reverse("how", args=["demo", "practice", entry.pk, cell])).status_code == 404


def test_history_is_written_when_places_change_and_only_then(
    client: Client, round_: Round, entries: list[Entry]
) -> None:
    now = timezone.now()
    assert record_standings(now) == 1
    assert record_standings(now + HOUR) == 0
    void_entry(entries[0], User.objects.get(name_key="oni"), "another data set")
    assert record_standings(now + datetime.timedelta(seconds=30)) == 0
    assert record_standings(now + HOUR) == 1
    assert record_standings(now + 2 * HOUR) == 0
    first, second = Standing.objects.order_by("at")
    assert {place["team"] for place in first.places} == {entry.team_id for entry in entries}
    kitsune = Team.objects.get(name="Kitsune")
    assert [(place["team"], place["rank"]) for place in second.places] == [(kitsune.pk, 1)]
    page = client.get(reverse("rank_history", args=["demo", "practice"]))
    (line,) = page.context["history"].lines
    before = next(place["rank"] for place in first.places if place["team"] == kitsune.pk)
    assert (line.team, line.ranks) == (kitsune, [before, 1])
    assert b"<polyline" in page.content


def test_moments_of_a_young_history_are_told_apart_by_seconds(
    client: Client, round_: Round, entries: list[Entry]
) -> None:
    now = datetime.datetime(2026, 11, 17, 9, 30, 7, tzinfo=datetime.UTC)
    record_standing(round_, now)
    void_entry(entries[0], User.objects.get(name_key="oni"), "another data set")
    record_standing(round_, now + datetime.timedelta(seconds=12))
    url = reverse("rank_history", args=["demo", "practice"])
    page = client.get(url).content.decode()
    assert ">09:30:07<" in page and ">09:30:19<" in page
    last = Standing.objects.order_by("at").last()
    assert last is not None
    Standing.objects.create(round=round_, at=now + 2 * HOUR, board_version=99, places=last.places)
    page = client.get(url).content.decode()
    assert ">09:30:07<" not in page and ">11-17 09:30<" in page
