"""A team's own page, its notes, and the free check of files before they are handed in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from contest.models import AuditEvent, Entry, Round, Team, User
from contest.pages import dry_run
from contest.services.entries import MAX_NOTE
from contest.services.tokens import create_token
from kakurenbo.main import main
from tests.factories import (
    as_zip,
    entry_files,
    make_contest,
    make_entry,
    make_round,
    make_team,
    make_user,
    work_off,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    cache.clear()
    return make_round(make_contest(time_zone="Asia/Tokyo"))


@pytest.fixture
def team(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki")


def member(team: Team) -> User:
    return team.memberships.select_related("user").get().user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def uploads(files: dict[str, bytes]) -> dict[str, SimpleUploadedFile]:
    fields = {"master": "M.csv", "transactions": "T.csv", "truth": "P.csv"}
    return {field: SimpleUploadedFile(name, files[name]) for field, name in fields.items()}


def upload_url(round_: Round) -> str:
    return reverse("upload", args=[round_.contest.slug, round_.slug])


def test_the_page_says_what_can_be_done_until_when_and_what_binds(round_: Round, team: Team) -> None:
    make_entry(round_, team, entry_files("swap", 4))
    work_off()
    answer = signed_in(member(team)).get(team.get_absolute_url())
    html = answer.content.decode()
    assert upload_url(round_) in html
    assert "JST" in html
    assert "data-countdown" in html
    (card,) = answer.context["rounds"][0]["cards"]
    entry = Entry.objects.get()
    limits = {limit["measure"]: limit["limit"] for limit in round_.limits}
    most = max(limits, key=lambda name: entry.measures[name] / limits[name])
    assert card.binds is not None
    assert card.binds.name == most
    assert [cell.name for cell in card.cells] == list(limits)
    assert "binds" in html


def test_a_member_pins_an_entry_from_the_page_and_keeps_notes(round_: Round, team: Team) -> None:
    first, second = (make_entry(round_, team, entry_files("swap", seed)) for seed in (1, 2))
    work_off()
    client = signed_in(member(team))
    page = client.get(team.get_absolute_url()).content.decode()
    pins = re.findall(r'action="([^"]+/pin/)"', page)
    assert reverse("pin", args=[round_.contest.slug, round_.slug, first.pk]) in pins
    client.post(reverse("pin", args=[round_.contest.slug, round_.slug, first.pk]))
    first.refresh_from_db()
    assert first.is_official
    url = reverse("note", args=[round_.contest.slug, round_.slug, second.pk])
    assert client.get(url).status_code == 405
    assert client.post(url, {"note": " more swaps <b> "}).status_code == 302
    second.refresh_from_db()
    assert second.note == "more swaps <b>"
    assert "more swaps &lt;b&gt;" in client.get(team.get_absolute_url()).content.decode()
    (event,) = AuditEvent.objects.filter(verb="entry.note")
    assert event.after == {"note": "more swaps <b>"}
    client.post(url, {"note": "x" * (MAX_NOTE + 1)})
    second.refresh_from_db()
    assert second.note == "more swaps <b>"
    stranger = signed_in(make_user())
    assert stranger.post(url, {"note": "mine"}).status_code == 404


@pytest.mark.parametrize("as_archive", [True, False])
def test_a_check_costs_nothing_keeps_nothing_and_names_what_is_wrong(
    as_archive: bool, round_: Round, team: Team
) -> None:
    client = signed_in(member(team))
    good, bad = entry_files(), {**entry_files(), "P.csv": b"1\n" * 12}
    for files, problems, status in ((good, 0, 200), (bad, 11, 422)):
        sent = {"archive": SimpleUploadedFile("e.zip", as_zip(files))} if as_archive else uploads(files)
        answer = client.post(upload_url(round_), {**sent, "check": "1"})
        assert answer.status_code == status
        assert answer.context["problem_total"] == problems
        assert 'id="dry-run"' in answer.content.decode()
    assert "P.csv" in answer.content.decode()
    assert not Entry.objects.exists()


def test_checks_are_bounded_a_minute(round_: Round, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "CHECKS_A_MINUTE", 1)
    client = signed_in(member(team))
    answers = [client.post(upload_url(round_), {**uploads(entry_files()), "check": "1"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 422]
    assert "checks per minute" in answers[1].content.decode()


def test_the_result_is_explained_in_words(round_: Round, team: Team) -> None:
    entry = make_entry(round_, team, entry_files("swap", 4))
    work_off()
    entry.refresh_from_db()
    html = signed_in(member(team)).get(entry.get_absolute_url()).content.decode()
    words = html[html.index('id="in-words"') :]
    assert f"found {entry.hits} of {entry.n_people} people" in words
    assert "What binds is" in words
    assert "That is place 1 now." in words
    assert "Scored as team <strong>Tanuki</strong>" in html


@pytest.mark.django_db(transaction=True)
def test_the_client_checks_files_on_a_site(
    live_server, round_: Round, team: Team, tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    secret = create_token(member(team), "laptop", ["read"], 7)
    assert main(["login", str(live_server.url), "--token", secret]) == 0
    folder = tmp_path / "entry"
    folder.mkdir()
    for name, content in entry_files().items():
        (folder / name).write_bytes(content)
    assert main(["submit", str(folder), "--dry-run"]) == 0
    assert "Nothing was handed in" in capsys.readouterr().out
    (folder / "P.csv").write_bytes(b"1\n" * 12)
    assert main(["submit", str(folder), "--dry-run"]) == 1
    assert "P.csv, line 2" in capsys.readouterr().out
    assert not Entry.objects.exists()
