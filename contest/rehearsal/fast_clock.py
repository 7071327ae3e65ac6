"""The planned moments of a contest, and a clock that comes to each of them at once.

Nothing asks a false clock for the time: the phases are moved instead, so that the moment is now. Everything
that depends on time (uploads, freezing, reminders, results) runs as it will on the day.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils import timezone

from contest.models import Contest, Phase, Reminder, Round

HOUR = datetime.timedelta(hours=1)
END, START, REMINDER, LATE = range(4)
"""What a moment is, in the order of those at one instant."""
PLAYED = (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
"""The phases in which teams hand something in."""


@dataclass(frozen=True, order=True)
class Moment:
    """A planned moment. ``LATE`` is when the last teams hand in: after the reminders, before the end."""

    at: datetime.datetime
    what: int
    phase_id: int


class FastClock:
    """Remembers the planned times of a contest: its phases, its registration, when its boards stand still."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.planned = {phase.pk: phase for phase in Phase.objects.filter(round__contest=contest)}
        frozen = Round.objects.filter(contest=contest)
        self.frozen = {it.pk: it.board_frozen_at for it in frozen if it.board_frozen_at is not None}

    @property
    def registers_at(self) -> datetime.datetime:
        """When teams are made: as soon as registration opens, or an hour before the first phase."""
        first = min(phase.starts_at for phase in self.planned.values())
        return self.contest.registration_opens or first - HOUR

    def moments(self) -> list[Moment]:
        """All moments at which something happens, in order."""
        return sorted(moment for phase in self.planned.values() for moment in self._of(phase))

    def _of(self, phase: Phase) -> Iterator[Moment]:
        yield Moment(phase.starts_at, START, phase.pk)
        yield Moment(phase.ends_at, END, phase.pk)
        if phase.kind not in PLAYED:
            return
        for hours in {self.contest.reminder_hours, self.contest.last_reminder_hours} - {0}:
            at = phase.ends_at - hours * HOUR
            if at > phase.starts_at:
                yield Moment(at, REMINDER, phase.pk)
        yield Moment(phase.ends_at - min(HOUR, (phase.ends_at - phase.starts_at) / 2), LATE, phase.pk)

    def turn_to(self, at: datetime.datetime) -> None:
        """Let a planned moment be now."""
        moved = timezone.now() - at
        for key, phase in self.planned.items():
            starts_at, ends_at = phase.starts_at + moved, phase.ends_at + moved
            Phase.objects.filter(pk=key).update(starts_at=starts_at, ends_at=ends_at)
            # A reminder belongs to the end of a phase; without this the same one would be sent again.
            Reminder.objects.filter(phase=key).update(ends_at=ends_at)
        for key, frozen_at in self.frozen.items():
            Round.objects.filter(pk=key).update(board_frozen_at=frozen_at + moved)
        for name in ("registration_opens", "registration_closes"):
            planned = getattr(self.contest, name)
            if planned is not None:
                Contest.objects.filter(pk=self.contest.pk).update(**{name: planned + moved})
