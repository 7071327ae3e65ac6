"""Pages of trust: the public changes, the hashes that anybody can verify, the organisers' log and archive."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.models import AuditEvent, Commitment, Contest, Entry, Phase, Round, Team, User
from contest.models.round import Feedback
from contest.records import audit
from contest.records.verify import Archive, verify
from contest.services.entry_marks import void_entry
from contest.services.phase_clock import run_clock
from contest.services.phases import extend_phase
from tests.factories import make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def round_(oni: User) -> Round:
    start = timezone.now() - 10 * HOUR
    kinds = (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK, Phase.Kind.RESULTS)
    hours = (0, 20, 30, 40)
    phases = [
        (kind, start + first * HOUR, start + last * HOUR)
        for kind, first, last in zip(kinds, hours[:-1], hours[1:], strict=True)
    ]
    contest = make_contest(oni, slug="demo")
    return make_round(contest, phases=phases, feedback=Feedback.NONE, slug="final", name="Final", seed=77)


@pytest.fixture
def tanuki(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki", make_user("tanuki"))


@pytest.fixture
def entry(round_: Round, tanuki: Team) -> Entry:
    made = make_entry(round_, tanuki)
    work_off()
    made.refresh_from_db()
    return made


def finish(round_: Round) -> None:
    """Let the round end and its results be public, also to views that look at today's time."""
    start = timezone.now() - 50 * HOUR
    hours = {Phase.Kind.ANONYMISE: (0, 20), Phase.Kind.ATTACK: (20, 30), Phase.Kind.RESULTS: (30, 90)}
    for kind, (first, last) in hours.items():
        Phase.objects.filter(round=round_, kind=kind).update(
            starts_at=start + first * HOUR, ends_at=start + last * HOUR
        )
    run_clock()


def hashes_page(client: Client, round_: Round, press: bool = False) -> str:
    name = "verify_hashes" if press else "hashes"
    url = reverse(name, args=[round_.contest.slug, round_.slug])
    answer = client.post(url) if press else client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def test_before_the_reveal_the_page_shows_the_hash_and_nothing_of_what_it_hashes(
    client: Client, round_: Round, entry: Entry
) -> None:
    run_clock()
    seed = Commitment.objects.get(round=round_, what="seed")
    for press in (False, True):
        text = hashes_page(client, round_, press)
        assert seed.sha256 in text
        assert "Not revealed yet." in text
        assert json.loads(seed.payload)["salt"] not in text


def test_after_the_reveal_anybody_can_press_the_button_and_all_agrees(
    client: Client, round_: Round, entry: Entry
) -> None:
    finish(round_)
    text = hashes_page(client, round_, press=True)
    assert text.count("everything in it is so today") == 3
    for commitment in Commitment.objects.filter(round=round_):
        assert hashlib.sha256(commitment.payload.encode()).hexdigest() in text
    assert "&quot;seed&quot;:77" in text


def test_what_was_changed_behind_the_hash_is_named_in_front_of_the_visitor(
    client: Client, round_: Round, entry: Entry
) -> None:
    finish(round_)
    Entry.objects.filter(pk=entry.pk).update(utility=99.875)
    text = hashes_page(client, round_, press=True)
    assert "This does not agree:" in text
    assert "99.875" in text


def test_verifying_changes_nothing_and_refuses_get(client: Client, round_: Round) -> None:
    url = reverse("verify_hashes", args=[round_.contest.slug, round_.slug])
    assert client.get(url).status_code == 405


def changes_page(client: Client, contest: Contest) -> str:
    answer = client.get(reverse("changes", args=[contest.slug]))
    assert answer.status_code == 200
    return answer.content.decode()


def test_everybody_reads_what_organisers_did_and_why(client: Client, round_: Round, oni: User) -> None:
    run_clock()
    phase = Phase.objects.get(round=round_, kind=Phase.Kind.ANONYMISE)
    extend_phase(phase, oni, phase.ends_at - HOUR, "The hall closes early.")
    audit.extend_chain(round_.contest_id)
    text = changes_page(client, round_.contest)
    assert "got other times" in text
    assert "The hall closes early." in text
    assert "hash published" in text
    last = AuditEvent.objects.filter(contest=round_.contest).order_by("-number")[0]
    assert last.hash in text


def test_the_public_changes_tell_nothing_that_is_hidden(
    client: Client, round_: Round, entry: Entry, oni: User
) -> None:
    void_entry(entry, oni, "A secret reason.")
    text = changes_page(client, round_.contest)
    assert "A secret reason." not in text
    assert "Tanuki" not in text
    assert entry.upload_sha256 not in text
    finish(round_)
    text = changes_page(client, round_.contest)
    assert "entry 1 of Tanuki was marked as void" in text
    assert "A secret reason." in text


def test_a_hidden_contest_has_no_public_changes(client: Client) -> None:
    contest = make_contest(is_public=False)
    assert client.get(reverse("changes", args=[contest.slug])).status_code == 404


def audit_page(client: Client, **query: str) -> str:
    answer = client.get(reverse("organise_audit", args=["demo"]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_organisers_search_the_log_by_word_act_and_day(
    client: Client, round_: Round, entry: Entry, oni: User
) -> None:
    void_entry(entry, oni, "Copied from a friend.")
    client.force_login(oni)
    assert "Copied from a friend." in audit_page(client)
    assert "Copied from a friend." in audit_page(client, words="friend oni")
    assert "Copied from a friend." not in audit_page(client, words="friend tanuki")
    assert "Copied from a friend." in audit_page(client, verb="entry.marked")
    assert "Copied from a friend." not in audit_page(client, verb="entry.submitted")
    tomorrow = (timezone.now() + datetime.timedelta(days=1)).date().isoformat()
    assert "Nothing of this kind has happened." in audit_page(client, since=tomorrow)
    assert "Copied from a friend." in audit_page(client, until=tomorrow)


def test_organisers_verify_the_log_by_a_button(client: Client, round_: Round, oni: User) -> None:
    client.force_login(oni)
    url = reverse("organise_verify_audit", args=["demo"])
    assert "none was changed" in client.post(url).content.decode()
    AuditEvent.objects.filter(contest=round_.contest, number=2).update(reason="Forged.")
    text = client.post(url).content.decode()
    assert "The log was tampered with." in text
    assert "row 2" in text
    assert client.get(url).status_code == 405


@pytest.mark.parametrize("name", ["organise_audit", "organise_archive"])
def test_the_log_and_the_archive_are_for_organisers_alone(
    client: Client, round_: Round, tanuki: Team, name: str
) -> None:
    url = reverse(name, args=["demo"])
    assert client.get(url).status_code == 302
    client.force_login(User.objects.get(memberships__team=tanuki))
    assert client.get(url).status_code == 404
    assert client.post(reverse("organise_write_archive", args=["demo"])).status_code == 404


def test_an_organiser_downloads_an_archive_that_holds(
    client: Client, round_: Round, entry: Entry, oni: User, tmp_path: Path
) -> None:
    finish(round_)
    client.force_login(oni)
    assert client.get(reverse("organise_archive", args=["demo"])).status_code == 200
    answer = client.post(reverse("organise_write_archive", args=["demo"]))
    assert answer.status_code == 200
    content = answer.getvalue()
    (tmp_path / "demo.zip").write_bytes(content)
    with Archive(tmp_path / "demo.zip") as archive:
        assert len(verify(archive)) == 5
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        page = opened.read("pages/final.html").decode()
    assert "Tanuki" in page
    assert AuditEvent.objects.filter(verb="contest.archived", actor=oni, contest=None).exists()


def test_an_archive_that_cannot_be_written_now_says_why(
    client: Client, round_: Round, tanuki: Team, oni: User
) -> None:
    make_entry(round_, tanuki)
    client.force_login(oni)
    answer = client.post(reverse("organise_write_archive", args=["demo"]))
    assert answer.status_code == 409
    assert "1 jobs of this contest are waiting or running" in answer.content.decode()


def test_a_team_says_no_and_yes_again_and_both_are_logged(
    client: Client, round_: Round, tanuki: Team
) -> None:
    client.force_login(User.objects.get(memberships__team=tanuki))
    for word, expected in (("no", False), ("no", False), ("yes", True)):
        client.post(reverse("archive_consent", args=["demo"]), {"consent": word})
        tanuki.refresh_from_db()
        assert tanuki.in_archive is expected
    assert AuditEvent.objects.filter(verb="team.archive_consent").count() == 2
    client.force_login(make_user())
    assert client.post(reverse("archive_consent", args=["demo"]), {"consent": "no"}).status_code == 404
