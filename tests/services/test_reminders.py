"""Reminders before a phase ends: to whom, when, and once."""

from __future__ import annotations

import datetime
from unittest import mock

import pytest
from django.utils import timezone

from contest.language.moments import told
from contest.models import Attack, AuditEvent, Contest, Entry, Mail, Notification, Phase, Reminder, Round
from contest.services import reminders
from contest.services.phase_clock import run_clock
from contest.services.reminders import idle_teams, remind
from tests.factories import make_contest, make_round, make_team, make_user
from tests.overall_rounds import scored

pytestmark = pytest.mark.django_db
HOUR = datetime.timedelta(hours=1)
START = timezone.now().replace(microsecond=0)
END = START + 100 * HOUR


@pytest.fixture
def round_() -> Round:
    """Two teams; the phase of hiding is open for a hundred hours, that of seeking comes after it."""
    contest = make_contest(make_user("oni"), slug="demo")
    phases = [
        (Phase.Kind.ANONYMISE, START, END),
        (Phase.Kind.ATTACK, END, END + 100 * HOUR),
        (Phase.Kind.RESULTS, END + 100 * HOUR, END + 200 * HOUR),
    ]
    made = make_round(contest, phases=phases)
    for name in ("Tanuki", "Kitsune"):
        make_team(contest, name, make_user(name.lower()))
    run_clock(START)
    return made


def valid_entry(round_: Round, name: str) -> Entry:
    return scored(round_, round_.contest.teams.get(name=name), 50.0)


def reminded() -> list[str]:
    return sorted(Mail.objects.filter(kind="reminder").values_list("to", flat=True))


def test_a_team_without_a_valid_entry_is_reminded_twice(round_: Round) -> None:
    valid_entry(round_, "Kitsune")
    assert remind(END - 25 * HOUR) == []
    assert [hours for _, hours in remind(END - 24 * HOUR)] == [24]
    assert remind(END - 3 * HOUR) == []
    assert [hours for _, hours in remind(END - 2 * HOUR)] == [2]
    assert remind(END - HOUR) == []
    assert reminded() == ["tanuki@example.org"] * 2
    kinds = list(Notification.objects.values_list("user__username", "kind"))
    assert kinds == [("tanuki", "reminder")] * 2
    facts = Mail.objects.filter(kind="reminder")[0].facts
    assert facts["until"] == told(END, round_.contest.zone) and facts["until"].startswith("2")


def test_the_clock_reminds(round_: Round) -> None:
    run_clock(END - 24 * HOUR)
    assert reminded() == ["kitsune@example.org", "tanuki@example.org"]
    event = AuditEvent.objects.get(verb="phase.reminded")
    assert event.after["teams"] == ["Tanuki", "Kitsune"]
    assert event.after["hours"] == 24


def test_after_an_outage_only_the_latest_is_sent(round_: Round) -> None:
    assert [hours for _, hours in remind(END - HOUR)] == [2]
    assert remind(END - HOUR / 2) == []
    assert len(reminded()) == 2


def test_a_crash_in_the_middle_leaves_nothing_and_the_next_tick_sends_all(round_: Round) -> None:
    with mock.patch("contest.records.audit.record", side_effect=RuntimeError), pytest.raises(RuntimeError):
        remind(END - HOUR)
    assert (Reminder.objects.count(), Notification.objects.count(), reminded()) == (0, 0, [])
    remind(END - HOUR)
    assert len(reminded()) == 2


def test_of_two_sweepers_one_reminds(round_: Round) -> None:
    phase = round_.phases.get(kind=Phase.Kind.ANONYMISE)
    phase.round.contest = round_.contest
    assert reminders._send(phase, 2, END - HOUR) is True
    assert reminders._send(phase, 2, END - HOUR) is False
    assert len(reminded()) == 2


def test_a_phase_that_got_another_end_is_reminded_of_again(round_: Round) -> None:
    remind(END - HOUR)
    Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).update(ends_at=END + 10 * HOUR)
    assert remind(END) != []
    assert len(reminded()) == 4


def test_organisers_choose_the_hours_or_none(round_: Round) -> None:
    Contest.objects.update(reminder_hours=48, last_reminder_hours=0)
    assert [hours for _, hours in remind(END - 48 * HOUR)] == [48]
    assert remind(END - HOUR) == []
    Contest.objects.update(reminder_hours=0)
    Reminder.objects.all().delete()
    assert remind(END - HOUR) == []


def test_nobody_is_reminded_before_a_phase_or_in_a_hidden_contest(round_: Round) -> None:
    Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).update(starts_at=END - HOUR)
    assert remind(END - HOUR / 2) == []
    Phase.objects.filter(round=round_, kind=Phase.Kind.ANONYMISE).update(starts_at=START)
    Contest.objects.update(is_public=False)
    assert remind(END - HOUR) == []


def test_in_an_attack_phase_a_team_without_an_answer_is_reminded(round_: Round) -> None:
    seeking = round_.phases.get(kind=Phase.Kind.ATTACK)
    team = round_.contest.teams.get(name="Kitsune")
    answer = Attack.objects.create(round=round_, team=team, kind="guess", name="guess")
    assert [one.name for one in idle_teams(seeking)] == ["Tanuki"]
    Attack.objects.filter(pk=answer.pk).update(is_dry_run=True)
    assert [one.name for one in idle_teams(seeking)] == ["Tanuki", "Kitsune"]


def test_a_void_entry_does_not_count(round_: Round) -> None:
    entry = valid_entry(round_, "Kitsune")
    Entry.objects.filter(pk=entry.pk).update(mark="void", is_official=False)
    hiding = round_.phases.get(kind=Phase.Kind.ANONYMISE)
    assert [one.name for one in idle_teams(hiding)] == ["Tanuki", "Kitsune"]
