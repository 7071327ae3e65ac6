"""Looking for signals of cheating: requested by organisers, done by a worker, shown to organisers alone."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.jobs import queue
from contest.models import Job, Round, Signal, User
from contest.records import audit
from games.formats.signals import FORMATS


def can_look(round_: Round) -> bool:
    """Whether a round has something to compare: files of any game, or tables that the signals can read."""
    return round_.game_id is not None or round_.dataset.format in FORMATS


def request_signals(round_: Round, user: User) -> Job:
    """Let a worker look at all official entries and guesses of a round."""
    if not can_look(round_):
        raise Refused("no-signals", _("Signals are computed for contests with tables M and T only."))
    with transaction.atomic():
        Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
        waiting = Job.objects.filter(kind=Job.Kind.SIGNALS, payload__round=round_.pk)
        if waiting.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).exists():
            raise Refused("under-way", _("A worker is looking already."))
        job = queue.enqueue_job(Job.Kind.SIGNALS, payload={"round": round_.pk})
        audit.record("signals.requested", round_, contest=round_.contest, actor=user)
    return job


def record_signals(claim: queue.Claim, round_: Round, found: Sequence[Signal]) -> None:
    """Replace what was found before with what was found now."""
    with claim.finish():
        Signal.objects.filter(round=round_).delete()
        Signal.objects.bulk_create(found)
        kinds = sorted({signal.kind for signal in found})
        audit.record(
            "signals.found", round_, contest=round_.contest, after={"number": len(found), "kinds": kinds}
        )
