"""Seeking by clicks: numbers and links of targets, guesses that are checked first, dry runs that lead on."""

from __future__ import annotations

import datetime
import io
import re

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.files.storage import submitted
from contest.models import Attack, AttackRun, Entry, Phase, Round, Team
from contest.pages.attack import attack_summary
from contest.services.house import request_house_entry
from contest.services.team_attacks import practice_entry, submit_guesses, try_program
from contest.services.tokens import create_token
from tests.api.conftest import Caller
from tests.api.test_routes import error_of
from tests.factories import as_zip, entry_files, make_contest, make_entry, make_round, make_team, work_off
from tests.services.test_offence import FIRST_ROW, guess_file, member, need_sandbox

pytestmark = pytest.mark.django_db

DAY = datetime.timedelta(days=1)


@pytest.fixture
def round_() -> Round:
    now = timezone.now()
    phases = [(Phase.Kind.ANONYMISE, now - DAY, now + DAY), (Phase.Kind.ATTACK, now - DAY, now + DAY)]
    return make_round(make_contest(slug="demo"), phases=phases)


@pytest.fixture
def targets(round_: Round) -> list[Entry]:
    entries = [
        make_entry(round_, make_team(round_.contest, name), entry_files("shuffle", seed))
        for name, seed in (("Tanuki", 2), ("Usagi", 3))
    ]
    work_off()
    for entry in entries:
        entry.refresh_from_db()
    return entries


@pytest.fixture
def kitsune(round_: Round) -> Team:
    team = make_team(round_.contest, "Kitsune")
    cache.delete(f"dry-run-{team.pk}")
    return team


def signed_in(team: Team, language: str = "en") -> Client:
    client = Client(headers={"Accept-Language": language})
    client.force_login(member(team))
    return client


def address(name: str, round_: Round, *more: int) -> str:
    return reverse(name, args=[round_.contest.slug, round_.slug, *more])


def send(team: Team, round_: Round, files: dict[str, bytes]):
    archive = SimpleUploadedFile("guesses.zip", as_zip(files))
    return signed_in(team).post(address("guesses", round_), {"archive": archive})


def test_targets_are_listed_with_their_numbers_links_and_ones_own_tries(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    submit_guesses(round_, kitsune, member(kitsune), {targets[0].pk: guess_file(targets[0], 3)})
    work_off()
    page = signed_in(kitsune).get(address("seek", round_)).content.decode()
    for entry in targets:
        assert f'<a href="{entry.get_absolute_url()}">{entry.team.name} #{entry.number}</a>' in page
        assert f"<code>{entry.pk}.csv</code>" in page
    assert "3 found, 25.0" in re.sub(r"\s+", " ", page)


def test_targets_whose_pages_are_closed_are_listed_without_links(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    Round.objects.filter(pk=round_.pk).update(feedback="bands", feedback_bands=4, frozen_at=timezone.now())
    submit_guesses(round_, kitsune, member(kitsune), {targets[0].pk: guess_file(targets[0], 3)})
    work_off()
    client = signed_in(kitsune)
    page = client.get(address("seek", round_)).content.decode()
    table = page.partition('id="targets"')[2].partition("</table>")[0]
    assert targets[0].get_absolute_url() not in table
    assert "25–50 %" in table
    assert " found, " not in table
    sent = client.get(Attack.objects.get(team=kitsune).get_absolute_url()).content.decode()
    assert targets[0].get_absolute_url() not in sent
    assert "Found in all" not in sent


def test_a_malformed_guess_costs_nothing_and_is_explained(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    zero = b"".join(b"%d\n" % row for row in range(targets[0].n_people or 0))
    answer = send(kitsune, round_, {f"{targets[0].pk}.csv": zero, f"{targets[1].pk}.csv": b"x\n"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "These files would be refused. Nothing was handed in." in page
    assert "The guess counts the rows of M from 0." in page
    assert f"{targets[1].pk}.csv" in page
    assert 'id="upload-form"' in page
    assert not Attack.objects.filter(team=kitsune).exists()


def test_the_api_refuses_a_malformed_guess_in_one_sentence(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    caller = Caller(create_token(member(kitsune), "laptop", ["read", "submit"], 7))
    guess = SimpleUploadedFile(f"{targets[0].pk}.csv", b"")
    told = error_of(caller.post(f"contests/demo/rounds/{round_.slug}/guesses/", {"archive": guess}))
    assert told["code"] == "bad-guess"
    assert "The file is empty." in told["message"]
    assert not Attack.objects.filter(team=kitsune).exists()


def test_an_odd_guess_is_read_and_the_page_says_how(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    lines = guess_file(targets[0], 3).getvalue().split()
    quoted = b"".join(b'"%s"\n' % line for line in lines)
    files = {f"{targets[0].pk}.csv": quoted, f"{targets[1].pk}.csv": guess_file(targets[1], 1).getvalue()}
    answer = send(kitsune, round_, {**files, "readme.txt": b"hello"})
    assert answer.status_code == 302
    work_off()
    attack = Attack.objects.get(team=kitsune)
    assert [remark["code"] for remark in attack.remarks] == ["others-ignored", "quoted-cells"]
    page = signed_in(kitsune).get(attack.get_absolute_url()).content.decode()
    assert "The cells are in quotes. They were read without them." in page
    assert "readme.txt" in page
    assert attack.runs.get(entry=targets[0]).hits == 3


def test_an_attack_shows_its_totals_and_links_to_its_targets(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    guesses = {entry.pk: guess_file(entry, right) for entry, right in zip(targets, (3, 6), strict=True)}
    attack = submit_guesses(round_, kitsune, member(kitsune), guesses)
    work_off()
    totals = attack_summary(member(kitsune), attack)["totals"]
    assert (totals.found, totals.people, totals.targets, totals.share) == (9, 24, 2, 0.375)
    assert (totals.best.target, totals.worst.target) == (targets[1], targets[0])
    page = signed_in(kitsune, "ja").get(attack.get_absolute_url()).content.decode()
    assert "全体の発見人数" in page
    for entry in targets:
        assert f'<a href="{entry.get_absolute_url()}">' in page


def test_a_dry_run_is_made_against_the_house_entry_in_the_middle(round_: Round, kitsune: Team) -> None:
    assert practice_entry(round_, kitsune) is None
    for method in ("identity", "shuffle", "swap"):
        request_house_entry(round_, None, method)
    work_off()
    house = list(Entry.objects.filter(team__is_house=True, state="valid").order_by("-utility", "pk"))
    chosen = practice_entry(round_, kitsune)
    assert chosen == house[len(house) // 2]
    assert chosen != house[0]
    page = signed_in(kitsune).get(address("seek", round_)).content.decode()
    words = f"A dry run is made against {chosen.team.name} #{chosen.number}, the house entry in the middle"
    assert words in page


def test_a_dry_run_leads_to_one_button_that_runs_it_on_all(
    round_: Round, kitsune: Team, targets: list[Entry]
) -> None:
    need_sandbox()
    request_house_entry(round_, None, "identity")
    work_off()
    tried = try_program(round_, kitsune, member(kitsune), submitted.put(io.BytesIO(FIRST_ROW)))
    button = address("run_on_all", round_, tried.pk)
    client = signed_in(kitsune)
    assert button not in client.get(tried.get_absolute_url()).content.decode()
    work_off()
    assert button in client.get(tried.get_absolute_url()).content.decode()
    stranger = signed_in(make_team(round_.contest, "Strangers"))
    assert stranger.post(button).status_code == 404
    sent = client.post(button)
    attack = Attack.objects.get(team=kitsune, is_dry_run=False)
    assert sent.headers["Location"] == attack.get_absolute_url()
    assert attack.program_sha256 == tried.program_sha256
    work_off()
    runs = attack.runs.exclude(entry__team__is_house=True)
    assert {run.entry_id for run in runs} == {entry.pk for entry in targets}
    assert {run.state for run in runs} == {AttackRun.State.DONE}
    assert client.post(address("run_on_all", round_, attack.pk)).status_code == 404
