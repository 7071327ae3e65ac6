"""Reminders before a phase ends, to teams that have handed in nothing valid in it.

The row of a reminder, its notices, its e-mails and its audit row are one transaction: after a crash either
all of them are there or the next tick of the clock writes them. Of two sweepers, the second finds the row.
"""

from __future__ import annotations

import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from contest.language.moments import told
from contest.models import Attack, Entry, Notification, Phase, Reminder, Team
from contest.outside.notices import Notice, members_of, notify
from contest.records import audit

KINDS = (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
"""The phases in which teams hand something in."""


def remind(now: datetime.datetime) -> list[tuple[Phase, int]]:
    """Send the reminders that are due; returns for which phase, and how many hours before its end."""
    running = Phase.objects.filter(
        Q(round__contest__reminder_hours__gt=0) | Q(round__contest__last_reminder_hours__gt=0),
        kind__in=KINDS,
        starts_at__lte=now,
        ends_at__gt=now,
        opened_at__isnull=False,
        closed_at=None,
        round__contest__is_public=True,
    )
    sent = []
    for phase in running.select_related("round__contest").order_by("pk"):
        hours = _due(phase, now)
        if hours is not None and _send(phase, hours, now):
            sent.append((phase, hours))
    return sent


def _due(phase: Phase, now: datetime.datetime) -> int | None:
    """The latest reminder that is due and not sent. One that is due while a later one is due too, as after an
    outage, is left out; so is one before the start of a short phase."""
    contest = phase.round.contest
    every = sorted({contest.reminder_hours, contest.last_reminder_hours} - {0})
    moments = ((hours, phase.ends_at - datetime.timedelta(hours=hours)) for hours in every)
    due = [hours for hours, moment in moments if phase.starts_at < moment <= now]
    sent = Reminder.objects.filter(phase=phase, ends_at=phase.ends_at)
    return due[0] if due and not sent.filter(hours__lte=due[0]).exists() else None


def _send(phase: Phase, hours: int, now: datetime.datetime) -> bool:
    contest, round_ = phase.round.contest, phase.round
    try:
        with transaction.atomic():
            Reminder.objects.create(phase=phase, hours=hours, ends_at=phase.ends_at, sent_at=now)
            teams = idle_teams(phase)
            if teams:
                facts = {"phase": phase.kind, "hours": hours, "ends_at": phase.ends_at.isoformat()}
                said = {**facts, "until": told(phase.ends_at, contest.zone)}
                notice = Notice(Notification.Kind.REMINDER, contest, round_=round_, facts=said)
                notify(notice, members_of(teams))
                names = [team.name for team in teams]
                audit.record("phase.reminded", phase, contest=contest, after={**facts, "teams": names})
    except IntegrityError:
        return False  # Another sweeper was faster.
    return True


def idle_teams(phase: Phase) -> list[Team]:
    """The teams that play and have no valid entry in a phase of hiding, or no answer in one of seeking."""
    playing = Team.objects.filter(
        contest=phase.round.contest_id, is_house=False, status=Team.Status.ACTIVE
    ).order_by("pk")
    if phase.kind == Phase.Kind.ATTACK:
        answers = Attack.objects.filter(round=phase.round_id, is_dry_run=False, team__isnull=False)
        answered = answers.exclude(state__in=[Attack.State.INVALID, Attack.State.FAILED])
        return list(playing.exclude(pk__in=answered.values("team")))
    valid = Entry.objects.filter(round=phase.round_id, state=Entry.State.VALID, mark=Entry.Mark.NONE)
    return list(playing.exclude(pk__in=valid.values("team")))
