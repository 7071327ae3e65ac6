"""What organisers do to phases: extend, end, open again; never overwriting somebody else's change."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.bundle.spans import Span, faults
from contest.bundle.specification import PhaseSpec
from contest.declarations.round import AT_ONCE
from contest.errors import Refused
from contest.language.moments import told
from contest.models import Commitment, Entry, Phase, Reveal, Round, User
from contest.records import audit
from contest.records.locks import lock_phases, lock_play
from contest.services.board_versions import bump_board
from contest.services.commitments import withdraw_commitment
from contest.services.entry_marks import require_reason


def extend_phase(
    phase: Phase, user: User, ends_at: datetime.datetime, reason: str, *, move_later: bool = False
) -> None:
    """Move the end of a phase that is not over; refused where somebody has moved or closed it meanwhile.

    With ``move_later`` the later phases of the round move by the same time.
    """
    with transaction.atomic():
        _require_current(phase)
        if phase.closed_at is not None:
            raise Refused("phase-closed", _("This phase is closed; to let it continue, open it again."))
        if move_later:
            _move_later(phase, user, ends_at - phase.ends_at, reason)
        _set_end(phase, user, ends_at, "phase.moved", reason)


def close_phase(phase: Phase, user: User, reason: str, now: datetime.datetime | None = None) -> None:
    """End an open phase now; the clock does what follows."""
    now = now or timezone.now()
    if not phase.is_open_at(now) or now == phase.starts_at:
        raise Refused("phase-not-open", _("Only an open phase can be closed."))
    with transaction.atomic():
        _require_current(phase)
        _set_end(phase, user, now, "phase.moved", reason)


def open_phase(phase: Phase, user: User, reason: str, now: datetime.datetime | None = None) -> None:
    """Let a planned phase begin now. What lies before it ends now or does not take place: see `between`."""
    now = now or timezone.now()
    if phase.ends_at <= now:
        raise Refused("phase-closed", _("This phase is over; to let it continue, open it again."))
    if phase.starts_at <= now:
        raise Refused("phase-open", _("This phase is open already."))
    with transaction.atomic():
        _require_current(phase)
        for earlier in between(phase, now):
            if earlier.starts_at < now:
                _set_end(earlier, user, now, "phase.moved", reason)
            elif earlier.kind in NEEDED:
                text = _("%(phase)s has not begun, and the round needs it. Open or move it first.")
                raise Refused("phase-skipped", text % {"phase": earlier.get_kind_display()})
            else:
                _drop(earlier, user, reason)
        move_phase(phase, user, now, phase.ends_at, reason)


NEEDED = (Phase.Kind.ANONYMISE, Phase.Kind.ATTACK)
"""Phases that are not left out by opening a later one."""


def between(phase: Phase, now: datetime.datetime) -> list[Phase]:
    """The phases that are in the way if this one begins now: those before it that are not over. Where results
    are told at once, phases may be open together, and nothing is in the way."""
    if phase.round.feedback == AT_ONCE:
        return []
    earlier = Phase.objects.filter(round=phase.round_id, starts_at__lt=phase.starts_at, ends_at__gt=now)
    return list(earlier.exclude(pk=phase.pk).select_related("round__contest").order_by("starts_at", "pk"))


def said_between(phase: Phase, now: datetime.datetime) -> list[str]:
    """What opening a phase now does to those before it, in words."""
    said = []
    for earlier in between(phase, now):
        if earlier.starts_at < now:
            text = _("%(phase)s ends now instead of at %(time)s.")
        elif earlier.kind in NEEDED:
            text = _("%(phase)s has not begun, and the round needs it. Open or move it first.")
        else:
            text = _("%(phase)s has not begun; it will not take place.")
        time = told(earlier.ends_at, phase.round.contest.zone)
        said.append(text % {"phase": earlier.get_kind_display(), "time": time})
    return said


def move_phase(
    phase: Phase, user: User, starts_at: datetime.datetime, ends_at: datetime.datetime, reason: str
) -> None:
    """Give a phase that has not begun other times; refused where they run into another phase."""
    with transaction.atomic():
        _require_current(phase)
        if phase.opened_at is not None:
            raise Refused("phase-open", _("This phase has begun; only its end can be moved."))
        _require_room(phase.round, PhaseSpec(phase.kind, starts_at, ends_at))
        before = {"starts_at": phase.starts_at.isoformat(), "ends_at": phase.ends_at.isoformat()}
        after = {"starts_at": starts_at.isoformat(), "ends_at": ends_at.isoformat()}
        Phase.objects.filter(pk=phase.pk).update(starts_at=starts_at, ends_at=ends_at)
        phase.refresh_from_db()
        bump_board(phase.round_id)
        contest = phase.round.contest
        audit.record(
            "phase.moved", phase, contest=contest, actor=user, before=before, after=after, reason=reason
        )


def add_phase(
    round_: Round, user: User, version: int, span: Span, reason: str, now: datetime.datetime | None = None
) -> Phase:
    """Give a round a phase of a kind that it lacks; refused where the round was changed meanwhile."""
    require_reason(reason)
    if span.ends_at <= (now or timezone.now()):
        raise Refused("phase-in-the-past", _("The new end must be in the future."))
    with transaction.atomic():
        lock_phases(round_.pk)
        _claim(round_, version)
        if Phase.objects.filter(round=round_, kind=span.kind).exists():
            raise Refused("phase-twice", _("The round has a phase of this kind already; change its times."))
        if span.kind != Phase.Kind.RESULTS and round_.tallied_at is not None:
            raise Refused("counted", _("All attacks of this round are counted; only results can follow."))
        _require_room(round_, span)
        made = Phase.objects.create(
            round=round_, kind=span.kind, starts_at=span.starts_at, ends_at=span.ends_at
        )
        _record_span("phase.added", made, user, reason, is_there=True)
    return made


def remove_phase(phase: Phase, user: User, reason: str, now: datetime.datetime | None = None) -> None:
    """Remove a phase that has not begun; refused where somebody has moved it meanwhile."""
    require_reason(reason)
    with transaction.atomic():
        _require_current(phase)
        if phase.opened_at is not None or phase.starts_at <= (now or timezone.now()):
            raise Refused("phase-open", _("This phase has begun; it stays."))
        if not Phase.objects.filter(round=phase.round_id).exclude(pk=phase.pk).exists():
            raise Refused("last-phase", _("A round needs at least one phase."))
        _drop(phase, user, reason)


def _drop(phase: Phase, user: User, reason: str) -> None:
    _record_span("phase.removed", phase, user, reason, is_there=False)
    Phase.objects.filter(pk=phase.pk).delete()
    Round.objects.filter(pk=phase.round_id).update(settings_version=F("settings_version") + 1)


def _claim(round_: Round, version: int) -> None:
    """If two organisers add something at once, the second is asked to look again."""
    mine = Round.objects.filter(pk=round_.pk, settings_version=version)
    if not mine.update(settings_version=version + 1):
        raise Refused("changed-meanwhile", _("Somebody else has changed this round; look at it again."))


def _record_span(verb: str, phase: Phase, user: User, reason: str, *, is_there: bool) -> None:
    """The log names the round, which stays when the phase is removed."""
    span = {
        "kind": phase.kind,
        "starts_at": phase.starts_at.isoformat(),
        "ends_at": phase.ends_at.isoformat(),
    }
    before, after = ({}, span) if is_there else (span, {})
    contest = phase.round.contest
    audit.record(verb, phase.round, contest=contest, actor=user, before=before, after=after, reason=reason)
    bump_board(phase.round_id)


def may_publish(round_: Round) -> bool:
    """Whether there are counted results that wait for their phase."""
    results = Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS, opened_at=None)
    return round_.tallied_at is not None and results.exists()


def publish_results(round_: Round, user: User, reason: str, now: datetime.datetime | None = None) -> None:
    """Let the results phase begin now; what is not counted yet cannot be published."""
    now = now or timezone.now()
    phase = (
        Phase.objects.filter(round=round_, kind=Phase.Kind.RESULTS).select_related("round__contest").first()
    )
    if phase is None:
        raise Refused("no-results-phase", _("This round has no results phase."))
    if not Round.objects.filter(pk=round_.pk, tallied_at__isnull=False).exists():
        raise Refused(
            "not-counted",
            _("Not everything is counted yet: close the earlier phases and wait for the last attack."),
        )
    if phase.starts_at <= now:
        raise Refused("published", _("The results are public already."))
    open_phase(phase, user, reason, now)


def reopen_phase(
    phase: Phase,
    user: User,
    ends_at: datetime.datetime,
    reason: str,
    *,
    move_later: bool = False,
    now: datetime.datetime | None = None,
) -> None:
    """Let a closed phase continue. What the clock did at its end is undone, openly, and done again later."""
    now = now or timezone.now()
    if not reason.strip():
        raise Refused("no-reason", _("Opening a phase again needs a reason; it is shown to everybody."))
    if ends_at <= now:
        raise Refused("phase-in-the-past", _("The new end must be in the future."))
    with transaction.atomic():
        _require_current(phase)
        later = Phase.objects.filter(round=phase.round_id, starts_at__gte=phase.ends_at).exclude(pk=phase.pk)
        if later.exclude(kind=Phase.Kind.HANDOVER).filter(opened_at__isnull=False).exists():
            raise Refused("next-phase-open", _("The next phase is already open; this one cannot continue."))
        if move_later:
            _move_later(phase, user, ends_at - phase.ends_at, reason)
        later.filter(starts_at__gt=now).update(opened_at=None, closed_at=None)
        Phase.objects.filter(pk=phase.pk).update(closed_at=None)
        _take_back(phase, now, reason)
        _set_end(phase, user, ends_at, "phase.reopened", reason)


def _require_current(phase: Phase) -> None:
    """Lock the phases of the round; refuse where this one is not as the organiser saw it."""
    lock_phases(phase.round_id)
    seen = Phase.objects.filter(
        pk=phase.pk, starts_at=phase.starts_at, ends_at=phase.ends_at, closed_at=phase.closed_at
    )
    if not seen.exists():
        raise Refused("changed-meanwhile", _("Somebody else has changed this phase; look at it again."))


def _set_end(phase: Phase, user: User, ends_at: datetime.datetime, verb: str, reason: str) -> None:
    _require_room(phase.round, PhaseSpec(phase.kind, phase.starts_at, ends_at))
    before = phase.ends_at
    Phase.objects.filter(pk=phase.pk).update(ends_at=ends_at)
    phase.refresh_from_db()
    bump_board(phase.round_id)
    audit.record(
        verb,
        phase,
        contest=phase.round.contest,
        actor=user,
        before={"ends_at": before.isoformat()},
        after={"ends_at": ends_at.isoformat()},
        reason=reason,
    )


def require_sound(phases: Iterable[Span], feedback: str, zone: ZoneInfo) -> None:
    """Refuse phases that a bundle could not hold either; times are told in the zone of their contest."""
    fault = next(faults(phases, feedback), None)
    if fault is None:
        return
    if fault.code == "phase-has-no-length":
        raise Refused(fault.code, _("A phase must end after it starts."))
    raise Refused(
        fault.code,
        _(
            "The phase %(later)s would start at %(starts_at)s, before %(earlier)s ends at %(ends_at)s. "
            "Move or close one of them first."
        )
        % {
            "later": Phase.Kind(fault.phase.kind).label,
            "starts_at": told(fault.phase.starts_at, zone),
            "earlier": Phase.Kind(fault.before.kind).label,
            "ends_at": told(fault.before.ends_at, zone),
        },
    )


def _require_room(round_: Round, span: Span) -> None:
    """Refuse times of a phase that run into another; a round has each kind once."""
    others = Phase.objects.filter(round=round_).exclude(kind=span.kind)
    require_sound([*others, span], round_.feedback, round_.contest.zone)


def _move_later(phase: Phase, user: User, by: datetime.timedelta, reason: str) -> None:
    later = Phase.objects.filter(round=phase.round_id, starts_at__gte=phase.ends_at).exclude(pk=phase.pk)
    for moved in later.select_related("round__contest"):
        before = {"starts_at": moved.starts_at.isoformat(), "ends_at": moved.ends_at.isoformat()}
        moved.starts_at += by
        moved.ends_at += by
        moved.save(update_fields=["starts_at", "ends_at"])
        after = {"starts_at": moved.starts_at.isoformat(), "ends_at": moved.ends_at.isoformat()}
        contest = moved.round.contest
        audit.record(
            "phase.moved", moved, contest=contest, actor=user, before=before, after=after, reason=reason
        )


def _take_back(phase: Phase, now: datetime.datetime, reason: str) -> None:
    """Undo the steps of the clock that followed from the end of this phase."""
    lock_play(phase.round_id)
    fields = ["tallied_at", "revealed_at", "reveal_ended_at"]
    Reveal.objects.filter(round=phase.round_id).delete()
    withdraw_commitment(phase.round, Commitment.What.BOARD, now, reason)
    if phase.kind == Phase.Kind.ANONYMISE:
        fields.append("frozen_at")
        withdraw_commitment(phase.round, Commitment.What.ENTRIES, now, reason)
        Entry.objects.filter(round=phase.round_id).update(frozen_at=None)
    Round.objects.filter(pk=phase.round_id).update(**dict.fromkeys(fields, None))
