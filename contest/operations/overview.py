"""How an installation is doing: queues, workers, failures, disk, versions."""

from __future__ import annotations

import datetime
import platform
import shutil
from dataclasses import dataclass, replace
from typing import Any

import django
from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from contest.jobs.job_version import RELEASE
from contest.jobs.queue import GAME_FAILED
from contest.jobs.queues import QUEUES
from contest.models import Heartbeat, Job
from datasets.messages import message_from

SHOWN = 25


@dataclass(frozen=True)
class Queue:
    """One queue; ``oldest`` is when its oldest waiting job was queued."""

    name: str
    waiting: int
    running: int
    oldest: datetime.datetime | None
    workers: int


@dataclass(frozen=True)
class Process:
    heartbeat: Heartbeat
    is_late: bool
    is_old: bool


@dataclass(frozen=True)
class Tally:
    """How many jobs of a kind are in a state, and when the oldest of them was written."""

    kind: Job.Kind
    state: str
    n: int
    oldest: datetime.datetime


def tally(jobs: QuerySet[Job]) -> list[Tally]:
    """Count jobs by kind and state from an index alone; rows are read only for the times of the oldest."""
    counted = jobs.order_by("kind", "state").values_list("kind", "state")
    rows = list(counted.annotate(n=Count("id"), first=Min("id")))
    first = [number for *_, number in rows]
    written = dict(Job.objects.filter(pk__in=first).values_list("pk", "created_at"))
    # A row may have gone since it was counted.
    return [Tally(Job.Kind(kind), state, n, written[pk]) for kind, state, n, pk in rows if pk in written]


def queues() -> list[Queue]:
    """Every queue of the installation, also the empty ones."""
    listening = [process.heartbeat.queues for process in processes() if not process.is_late]
    found = {
        name: Queue(name, 0, 0, None, sum(name in heard for heard in listening))
        for name in sorted(set(QUEUES.values()))
    }
    for row in tally(Job.objects.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING])):
        queue = found[QUEUES[row.kind]]
        if row.state == Job.State.RUNNING:
            found[queue.name] = replace(queue, running=queue.running + row.n)
        else:
            oldest = min(filter(None, (queue.oldest, row.oldest)))
            found[queue.name] = replace(queue, waiting=queue.waiting + row.n, oldest=oldest)
    return list(found.values())


def processes() -> list[Process]:
    late = timezone.now() - datetime.timedelta(seconds=settings.HEARTBEAT_LATE_SECONDS)
    return [
        Process(row, row.beat_at < late, row.release < RELEASE or row.version != settings.VERSION)
        for row in Heartbeat.objects.all()
        if row.beat_at.year > 1970
    ]


def failures(jobs: QuerySet[Job]) -> list[Job]:
    """The latest jobs that failed for good or are tried again after an error, with their tracebacks."""
    broken = jobs.filter(Q(state=Job.State.FAILED) | ~Q(error=""))
    return list(broken.order_by("-id")[:SHOWN])


def without_logs_of_games(jobs: list[Job]) -> list[Job]:
    """What a game wrote may hold secrets of its round, which are its organisers' alone."""
    for job in jobs:
        if message_from(job.reason) == GAME_FAILED():
            job.error = ""
    return jobs


def facts() -> dict[str, Any]:
    usage = shutil.disk_usage(settings.VAR if settings.VAR.exists() else settings.BASE_DIR)
    return {
        "free_gib": usage.free / 1024**3,
        "total_gib": usage.total / 1024**3,
        "versions": {
            "Kakurenbo": f"{settings.VERSION} ({RELEASE})",
            "Python": platform.python_version(),
            "Django": django.get_version(),
            connection.display_name: ".".join(map(str, connection.get_database_version())),
        },
    }
