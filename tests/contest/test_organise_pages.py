"""The organisers' pages: every action by its form, refused where somebody was faster, and logged."""

from __future__ import annotations

import datetime

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from contest.jobs.heartbeats import beat
from contest.models import (
    Attack,
    AttackRun,
    AuditEvent,
    Contest,
    Entry,
    Heartbeat,
    Job,
    Phase,
    Rescore,
    Round,
    Team,
    User,
)
from contest.models.round import Feedback
from contest.pages.timeline import bars
from contest.services.house import request_house_entry
from contest.services.phase_clock import run_clock
from contest.services.phases import extend_phase
from contest.work.failures import record_failure
from tests.factories import entry_files, make_contest, make_entry, make_round, make_team, make_user, work_off

pytestmark = pytest.mark.django_db

HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def oni() -> User:
    return make_user("oni")


@pytest.fixture
def contest(oni: User) -> Contest:
    return make_contest(oni, slug="demo", time_zone="Asia/Tokyo")


@pytest.fixture
def round_(contest: Contest) -> Round:
    start = timezone.now().replace(microsecond=0) - HOUR
    kinds = (Phase.Kind.ANONYMISE, Phase.Kind.HANDOVER, Phase.Kind.ATTACK, Phase.Kind.RESULTS)
    hours = (0, 2, 3, 5, 9)
    phases = [
        (kind, start + first * HOUR, start + last * HOUR)
        for kind, first, last in zip(kinds, hours[:-1], hours[1:], strict=True)
    ]
    return make_round(contest, phases=phases, feedback=Feedback.NONE, slug="final", name="Final")


@pytest.fixture
def tanuki(round_: Round) -> Team:
    return make_team(round_.contest, "Tanuki", make_user("tanuki"))


@pytest.fixture
def organiser(client: Client, oni: User) -> Client:
    client.force_login(oni)
    return client


def phase_of(round_: Round, kind: str) -> Phase:
    return Phase.objects.get(round=round_, kind=kind)


def seen(phase: Phase) -> dict[str, str]:
    closed = phase.closed_at.isoformat() if phase.closed_at else ""
    return {
        "seen_starts": phase.starts_at.isoformat(),
        "seen_ends": phase.ends_at.isoformat(),
        "seen_closed": closed,
    }


def move(client: Client, phase: Phase, act: str, **data: str) -> str:
    """Send the form of an act; returns what the page says after it."""
    url = reverse("organise_phase", args=["demo", phase.pk, act])
    response = client.post(url, {**seen(phase), **data})
    assert response.status_code == 302
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


def local(moment: datetime.datetime) -> str:
    """A time as the form takes it: in the contest's zone, nine hours before UTC all year."""
    return (moment + 9 * HOUR).strftime("%Y-%m-%dT%H:%M:%S")


PAGES = ("organise", "organise_timeline", "organise_entries", "organise_rescores", "organise_attacks",
         "organise_house", "organise_announcements", "organise_settings", "organise_contest_settings",
         "organise_teams", "organise_capacity")  # fmt: skip


def test_every_page_opens_for_organisers_and_exists_for_nobody_else(
    organiser: Client, round_: Round, tanuki: Team
) -> None:
    make_entry(round_, tanuki)
    work_off()
    stranger, member = Client(), Client()
    stranger.force_login(make_user("tengu"))
    member.force_login(User.objects.get(name_key="tanuki"))
    make_contest(User.objects.get(name_key="tengu"), slug="other")
    for name in PAGES:
        url = reverse(name, args=["demo"])
        assert organiser.get(url).status_code == 200, name
        assert [client.get(url).status_code for client in (stranger, member)] == [404, 404], name
    limits = reverse("organise_limits", args=["demo", "final"])
    assert organiser.get(limits).status_code == 200
    assert stranger.get(limits).status_code == 404


def test_an_empty_contest_shows_no_house_jobs_of_another(organiser: Client, round_: Round, oni: User) -> None:
    make_round(make_contest(oni, slug="empty"))
    for _ in range(16):
        request_house_entry(round_, oni, "swap")
    assert organiser.get(reverse("organise", args=["demo"])).context["counts"] == {"queued": 16}
    assert organiser.get(reverse("organise_archive", args=["demo"])).context["n_under_way"] == 16
    assert len(organiser.get(reverse("organise_house", args=["demo"])).context["orders"]) == 16
    assert organiser.get(reverse("organise", args=["empty"])).context["counts"] == {}
    assert organiser.get(reverse("organise_archive", args=["empty"])).context["n_under_way"] == 0
    assert not organiser.get(reverse("organise_house", args=["empty"])).context["orders"]


def test_a_house_entry_that_failed_says_why_and_is_tried_again_on_its_page(
    organiser: Client, round_: Round, oni: User
) -> None:
    order = request_house_entry(round_, oni, "swap", {"share": 0.5}, 987_654_321_012_345)
    page = organiser.get(reverse("organise_house", args=["demo"])).content.decode()
    retry = reverse("organise_house_retry", args=["demo", order.pk])
    assert "No worker takes such jobs at the moment." in page
    assert "share=0.5" in page
    assert retry not in page
    order.jobs.update(state=Job.State.FAILED, reason="An error on our side.")
    record_failure(order.jobs.get())
    page = organiser.get(reverse("organise_house", args=["demo"])).content.decode()
    assert "An error on our side." in page
    assert retry in page
    assert str(order.seed) not in page
    make_contest(oni, slug="other")
    assert organiser.post(reverse("organise_house_retry", args=["other", order.pk])).status_code == 404
    assert organiser.post(retry).status_code == 302
    assert "Only what has failed can be tried again." in organiser.post(retry, follow=True).content.decode()
    work_off()
    order.refresh_from_db()
    assert order.entry == Entry.objects.get(team__is_house=True)
    page = organiser.get(reverse("organise_house", args=["demo"])).content.decode()
    assert "orders-title" not in page


def test_capacity_counts_with_the_workers_that_are_there(organiser: Client, round_: Round) -> None:
    attack = Attack.objects.filter(round=round_).first()
    assert attack is not None
    for team in range(5):
        make_entry(round_, make_team(round_.contest, f"Team {team}"))
    work_off()
    AttackRun.objects.update(seconds=10.0)
    AttackRun.objects.update(state=AttackRun.State.QUEUED)
    page = organiser.get(reverse("organise_capacity", args=["demo"]))
    (found,) = page.context["rounds"]
    assert (found.workers, found.estimate, found.fits) == (0, None, None)
    assert "No worker takes such jobs at the moment." in page.content.decode()
    assert "Nobody works on it, so there is no estimate." in page.content.decode()
    beat("one", Heartbeat.Kind.WORKER, ["attacks", "programs"], timezone.now(), slots=2)
    beat("checks", Heartbeat.Kind.WORKER, ["checks"], timezone.now(), slots=7)
    page = organiser.get(reverse("organise_capacity", args=["demo"]))
    (found,) = page.context["rounds"]
    assert (found.workers, found.estimate) == (2, datetime.timedelta(seconds=30))
    assert "2 attacks can run at a time now." in page.content.decode()
    (asked,) = organiser.get(reverse("organise_capacity", args=["demo"]), {"workers": 5}).context["rounds"]
    assert (asked.workers, asked.estimate) == (5, datetime.timedelta(seconds=10))


def test_a_phase_is_extended_in_the_zone_of_the_contest(organiser: Client, round_: Round) -> None:
    phase = phase_of(round_, "anonymise")
    later = phase.ends_at + HOUR
    move(organiser, phase, "extend", ends_at=local(later), move_later="on", reason="the network was down")
    assert phase_of(round_, "anonymise").ends_at == later
    event = AuditEvent.objects.filter(verb="phase.moved").latest("pk")
    assert (str(event.actor), event.reason) == ("oni", "the network was down")
    assert phase_of(round_, "results").starts_at == phase.ends_at + 4 * HOUR


def test_an_act_on_a_phase_that_somebody_moved_is_refused(
    organiser: Client, round_: Round, oni: User
) -> None:
    shown = phase_of(round_, "anonymise")
    extend_phase(phase_of(round_, "anonymise"), oni, shown.ends_at + HOUR, "first", move_later=True)
    assert "Somebody else" in move(organiser, shown, "close", reason="second")
    assert phase_of(round_, "anonymise").ends_at == shown.ends_at + HOUR


def test_an_act_without_a_reason_or_with_a_strange_time_is_refused(organiser: Client, round_: Round) -> None:
    phase = phase_of(round_, "anonymise")
    assert "Reason" in move(organiser, phase, "close", reason="")
    assert "New end" in move(organiser, phase, "extend", ends_at="soon", reason="because")
    assert phase_of(round_, "anonymise").ends_at == phase.ends_at
    assert not AuditEvent.objects.filter(verb="phase.moved").exists()


def test_a_planned_phase_is_moved_opened_and_published_when_all_is_counted(
    organiser: Client, round_: Round, tanuki: Team
) -> None:
    make_entry(round_, tanuki)
    work_off()
    publish = reverse("organise_publish", args=["demo", "final"])
    organiser.post(publish, {"reason": "too early"})
    assert phase_of(round_, "results").starts_at > timezone.now()
    run_clock()
    move(organiser, phase_of(round_, "anonymise"), "close", reason="all are in")
    run_clock()
    hand_over = phase_of(round_, "handover")
    moved = hand_over.ends_at - HOUR / 2
    move(organiser, hand_over, "move", starts_at=local(hand_over.starts_at), ends_at=local(moved), reason="x")
    assert phase_of(round_, "handover").ends_at == moved
    move(organiser, phase_of(round_, "handover"), "open", reason="at once")
    move(organiser, phase_of(round_, "handover"), "close", reason="nobody needs it")
    move(organiser, phase_of(round_, "attack"), "open", reason="let us seek")
    run_clock()
    assert phase_of(round_, "attack").opened_at is not None
    move(organiser, phase_of(round_, "attack"), "close", reason="enough")
    run_clock()
    work_off()
    run_clock()
    assert b"Publish the results" in organiser.get(reverse("organise_timeline", args=["demo"])).content
    organiser.post(publish, {"reason": "the ceremony"})
    run_clock()
    round_.refresh_from_db()
    assert round_.revealed_at is not None
    assert AuditEvent.objects.filter(verb="phase.moved", reason="the ceremony").exists()


def test_entries_are_voided_and_taken_back_by_their_page(
    organiser: Client, round_: Round, tanuki: Team
) -> None:
    for seed in (1, 2):
        make_entry(round_, tanuki, entry_files("shuffle", seed))
    work_off()
    ids = [str(pk) for pk in Entry.objects.order_by("pk").values_list("pk", flat=True)]
    repair = reverse("organise_repair", args=["demo"])
    organiser.post(repair, {"entry": ids, "act": "void", "reason": "another data set"})
    assert set(Entry.objects.values_list("mark", flat=True)) == {"void"}
    organiser.post(repair, {"entry": ids[:1], "act": "unvoid", "reason": "it was right"})
    organiser.post(repair, {"entry": ids[:1], "act": "give-back", "reason": "our fault"})
    organiser.post(repair, {"entry": ids[:1], "act": "rerun", "reason": "a mended attack"})
    first = Entry.objects.get(pk=ids[0])
    assert (first.mark, first.is_official, first.costs_attempt) == ("", True, False)
    assert AuditEvent.objects.filter(verb="attack_run.rerun", reason="a mended attack").exists()
    said = organiser.post(repair, {"act": "void", "reason": "nothing chosen"})
    assert "Choose" in str(list(get_messages(said.wsgi_request))[-1])
    shown = organiser.get(reverse("organise_entries", args=["demo"]), {"state": "void"})
    assert [str(entry.pk) for entry in shown.context["page"].object_list] == ids[1:]


@pytest.mark.parametrize("key", ["0", "x", "-1", "9" * 30])
def test_an_entry_of_nowhere_cannot_be_repaired(organiser: Client, round_: Round, key: str) -> None:
    repair = reverse("organise_repair", args=["demo"])
    assert organiser.post(repair, {"entry": [key], "act": "void", "reason": "x"}).status_code == 404


def test_limits_are_previewed_then_applied_or_discarded(
    organiser: Client, round_: Round, tanuki: Team
) -> None:
    entry = make_entry(round_, tanuki, entry_files("swap", 9))
    work_off()
    entry.refresh_from_db()
    url = reverse("organise_limits", args=["demo", "final"])
    limits = {f"limit_{limit['measure']}": str(limit["limit"]) for limit in round_.limits}
    strict = {**limits, "limit_ut-jaccard": str(entry.measures["ut-jaccard"] / 2), "reason": "too lenient"}
    assert organiser.post(url, {**strict, "reason": ""}).status_code == 422
    assert organiser.post(url, {**strict, "measure": "ut-rows"}).status_code == 422
    page = organiser.post(url, strict, follow=True)
    assert page.context["summary"] == {"invalid": 1, "valid": 0, "moved": 1}
    entry.refresh_from_db()
    assert entry.state == "valid"
    rescore = Rescore.objects.get()
    decide = reverse("organise_decide", args=["demo", rescore.pk])
    organiser.post(decide, {"act": "apply"})
    entry.refresh_from_db()
    assert (entry.state, Rescore.objects.get().state) == ("invalid", "applied")
    said = organiser.post(decide, {"act": "discard"})
    assert "already" in str(list(get_messages(said.wsgi_request))[-1])


def test_bars_stand_where_their_times_are(round_: Round) -> None:
    phases = list(round_.phases.all())
    start = phases[0].starts_at
    drawn = bars([phases], round_.contest.zone, start + 1.5 * HOUR)
    # Of nine hours: two, one, two and four.
    assert [(row.start, row.length) for row in drawn.rows[0]] == [
        (0.0, 22.22), (22.22, 11.11), (33.33, 22.23), (55.56, 44.44)
    ]  # fmt: skip
    assert drawn.now == 16.67
    assert [row.state for row in drawn.rows[0]] == ["open", "planned", "planned", "planned"]
    assert bars([[]], round_.contest.zone, start).rows == [[]]
