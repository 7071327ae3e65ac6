"""Heartbeats, which workers and the sweeper write to the database."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable

from django.conf import settings
from django.utils import timezone

from contest.jobs.job_version import RELEASE
from contest.models import Heartbeat

FORGOTTEN = datetime.timedelta(hours=1)
"""After this long without a beat a process is no longer listed."""


def beat(
    name: str,
    kind: Heartbeat.Kind,
    queues: Iterable[str],
    started_at: datetime.datetime,
    slots: int = 1,
    counted_by: str = "",
) -> None:
    """Record that a process is alive. It is nobody's action, so no log records it."""
    now = timezone.now()
    facts = {
        "queues": sorted(queues),
        "slots": slots,
        "version": settings.VERSION,
        "release": RELEASE,
        "counted_by": counted_by,
        "beat_at": now,
    }
    if not Heartbeat.objects.filter(name=name).update(kind=kind, started_at=started_at, **facts):
        Heartbeat.objects.get_or_create(name=name, defaults={"kind": kind, "started_at": started_at, **facts})


def say_goodbye(name: str) -> None:
    """A process that stops cleanly is not reported as missing."""
    Heartbeat.objects.filter(name=name).update(beat_at=datetime.datetime.fromtimestamp(0, datetime.UTC))


def forget_the_dead() -> int:
    return Heartbeat.objects.filter(beat_at__lt=timezone.now() - FORGOTTEN).delete()[0]


def slots_of(queues: Collection[str]) -> int:
    """How many jobs of these queues can be done side by side now."""
    workers = living(Heartbeat.Kind.WORKER)
    return sum(worker.slots for worker in workers if not set(queues).isdisjoint(worker.queues))


def living(kind: Heartbeat.Kind) -> list[Heartbeat]:
    """The processes whose last beat is young enough."""
    since = timezone.now() - datetime.timedelta(seconds=settings.HEARTBEAT_LATE_SECONDS)
    return list(Heartbeat.objects.filter(kind=kind, beat_at__gte=since))
