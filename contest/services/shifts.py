"""All of a round that is still to come, moved by the same time in one step; shown before it is done."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.errors import Refused
from contest.language.moments import told
from contest.models import Phase, Reminder, Round, Team, User
from contest.records import audit
from contest.records.locks import lock_phases
from contest.services.board_versions import bump_board
from contest.services.consequence import Consequence
from contest.services.entry_marks import require_reason
from contest.services.odd_times import remarks_on
from contest.services.phases import require_sound
from contest.services.settings import as_audited, claim_version
from contest.services.still_boards import of_freeze


@dataclass(frozen=True)
class Moved:
    """A phase, and where it would be. Of one that has begun, the start stays."""

    phase: Phase
    starts_at: datetime.datetime
    ends_at: datetime.datetime

    @property
    def kind(self) -> str:
        return self.phase.kind

    @property
    def is_open(self) -> bool:
        return self.starts_at == self.phase.starts_at


def plan_of(round_: Round) -> str:
    """Identifies the phases as they are, so that a shift is not applied to phases that nobody has seen."""
    rows = Phase.objects.filter(round=round_).order_by("pk")
    texts = [
        f"{phase.kind} {phase.starts_at.timestamp()} {phase.ends_at.timestamp()} {phase.closed_at is None}"
        for phase in rows
    ]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def moved_phases(round_: Round, by: datetime.timedelta, now: datetime.datetime) -> list[Moved]:
    """What a shift would move; refused where it is impossible."""
    if not by:
        raise Refused("no-change", _("A shift by nothing changes nothing."))
    found, others = [], []
    for phase in Phase.objects.filter(round=round_).select_related("round__contest"):
        if phase.closed_at is not None or phase.ends_at <= now:
            others.append(phase)
        elif phase.opened_at is not None or phase.starts_at <= now:
            found.append(Moved(phase, phase.starts_at, _later(phase.ends_at, by)))
        else:
            found.append(Moved(phase, _later(phase.starts_at, by), _later(phase.ends_at, by)))
    if not found:
        raise Refused("nothing-to-move", _("All phases of this round are over; nothing can be moved."))
    for moved in found:
        _require_future(moved, now)
    require_sound([*others, *found], round_.feedback, round_.contest.zone)
    return found


def _later(moment: datetime.datetime, by: datetime.timedelta) -> datetime.datetime:
    try:
        return moment + by
    except OverflowError:
        raise Refused("bad-time", _("The phases would leave the calendar.")) from None


def _require_future(moved: Moved, now: datetime.datetime) -> None:
    zone, phase = moved.phase.round.contest.zone, moved.phase.get_kind_display()
    if moved.is_open and moved.ends_at <= now:
        text = _("%(phase)s is open and would have ended at %(time)s, which is past. Close it instead.")
        raise Refused("phase-in-the-past", text % {"phase": phase, "time": told(moved.ends_at, zone)})
    if not moved.is_open and moved.starts_at <= now:
        text = _("%(phase)s would have begun at %(time)s, which is past. Open it now instead.")
        raise Refused("phase-in-the-past", text % {"phase": phase, "time": told(moved.starts_at, zone)})


def of_shift(
    round_: Round, by: datetime.timedelta, now: datetime.datetime | None = None
) -> list[Consequence]:
    """What a shift would do: to each phase, to teams that play now, and to reminders."""
    found = moved_phases(round_, by, now or timezone.now())
    zone = round_.contest.zone
    told_ = [Consequence("phase-moves", 1, _where(moved)) for moved in found]
    stay = Phase.objects.filter(round=round_).count() - len(found)
    if stay:
        text = ngettext(
            "%(n)s phase that is over stays as it was.", "%(n)s phases that are over stay as they were.", stay
        )
        told_.append(Consequence("phases-stay", stay, text % {"n": stay}))
    told_ += _of_open(round_, found, by)
    told_ += _of_reminders(round_, found)
    if frozen_at := _moved_freeze(round_, by):
        told_ += of_freeze(round_, {"board_frozen_at": frozen_at})
    return told_ + [Consequence("odd-time", 1, text) for text in remarks_on(found, zone)]


def _where(moved: Moved) -> str:
    zone = moved.phase.round.contest.zone
    values = {
        "phase": moved.phase.get_kind_display(),
        "starts": told(moved.starts_at, zone),
        "ends": told(moved.ends_at, zone),
    }
    if moved.is_open:
        return _("%(phase)s is open; it ends at %(ends)s.") % values
    return _("%(phase)s: %(starts)s to %(ends)s.") % values


def _of_open(round_: Round, found: Sequence[Moved], by: datetime.timedelta) -> list[Consequence]:
    """Who loses or gains time in a phase that has begun."""
    if not any(moved.is_open for moved in found):
        return []
    teams = Team.objects.filter(contest=round_.contest_id, is_house=False, status=Team.Status.ACTIVE)
    n, hours = teams.count(), f"{abs(by).total_seconds() / 3600:g}"
    if by < datetime.timedelta():
        text = ngettext(
            "%(n)s team that plays loses %(hours)s hours of an open phase.",
            "%(n)s teams that play lose %(hours)s hours of an open phase.",
            n,
        )
        return [Consequence("teams-lose-time", n, text % {"n": n, "hours": hours})]
    text = ngettext(
        "%(n)s team that plays has %(hours)s more hours in an open phase.",
        "%(n)s teams that play have %(hours)s more hours in an open phase.",
        n,
    )
    return [Consequence("teams-gain-time", n, text % {"n": n, "hours": hours})]


def _of_reminders(round_: Round, found: Sequence[Moved]) -> list[Consequence]:
    """Reminders are sent some hours before an end, so they move with it."""
    if not (round_.contest.reminder_hours or round_.contest.last_reminder_hours):
        return []
    sent = Reminder.objects.filter(phase__in=[moved.phase for moved in found]).count()
    if sent:
        text = ngettext(
            "%(n)s reminder that was sent named the old end; teams get another before the new one.",
            "%(n)s reminders that were sent named old ends; teams get others before the new ones.",
            sent,
        )
        return [Consequence("reminders-again", sent, text % {"n": sent})]
    return [Consequence("reminders-move", len(found), _("Reminders move with the ends of their phases."))]


def shift_round(
    round_: Round,
    user: User,
    version: int,
    by: datetime.timedelta,
    reason: str,
    *,
    plan: str | None = None,
    now: datetime.datetime | None = None,
) -> None:
    """Move everything that is still to come, all or nothing; ``plan`` is `plan_of` what the organiser saw."""
    require_reason(reason)
    with transaction.atomic():
        lock_phases(round_.pk)
        if plan is not None and plan != plan_of(round_):
            raise Refused("changed-meanwhile", _("Somebody else has changed this round; look at it again."))
        for moved in moved_phases(round_, by, now or timezone.now()):
            before, after = _span(moved.phase), _span(moved)
            Phase.objects.filter(pk=moved.phase.pk).update(starts_at=moved.starts_at, ends_at=moved.ends_at)
            audit.record(
                "phase.moved", moved.phase, contest=round_.contest, actor=user,
                before=before, after=after, reason=reason,
            )  # fmt: skip
        frozen_at = _moved_freeze(round_, by)
        if frozen_at is not None:
            before, after = (
                {"board_frozen_at": as_audited(moment, round_.contest.zone)}
                for moment in (round_.board_frozen_at, frozen_at)
            )
            audit.record(
                "round.changed", round_, contest=round_.contest, actor=user,
                before=before, after=after, reason=reason,
            )  # fmt: skip
        claim_version(round_, version, **({"board_frozen_at": frozen_at} if frozen_at else {}))
        bump_board(round_.pk)
    round_.refresh_from_db()


def _moved_freeze(round_: Round, by: datetime.timedelta) -> datetime.datetime | None:
    """From when the board would stand still; nothing where it never does, or does so already."""
    if round_.board_frozen_at is None or round_.still_since is not None:
        return None
    return _later(round_.board_frozen_at, by)


def _span(span: Phase | Moved) -> dict[str, str]:
    return {"starts_at": span.starts_at.isoformat(), "ends_at": span.ends_at.isoformat()}
