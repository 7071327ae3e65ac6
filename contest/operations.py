"""How an installation is doing: queues, workers, failures, disk, versions."""

from __future__ import annotations

import datetime
import platform
import shutil
from dataclasses import dataclass
from typing import Any

import django
from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from contest.models import Heartbeat, Job
from contest.release import RELEASE
from contest.services.jobs import TASKS

SHOWN = 25


@dataclass(frozen=True)
class Queue:
    """One queue; ``oldest`` is since when its oldest waiting job waits."""

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


def queues() -> list[Queue]:
    """Every queue of the installation, also the empty ones."""
    rows = Job.objects.values("kind").annotate(
        waiting=Count("id", filter=Q(state=Job.State.QUEUED)),
        running=Count("id", filter=Q(state=Job.State.RUNNING)),
        oldest=Min("created_at", filter=Q(state=Job.State.QUEUED)),
    )
    listening = [process.heartbeat.queues for process in processes() if not process.is_late]
    found = {name: Queue(name, 0, 0, None, 0) for name in sorted({queue for _, queue in TASKS.values()})}
    for row in rows.order_by("kind"):
        name = TASKS[Job.Kind(row["kind"])][1]
        queue = found[name]
        oldest = min(filter(None, (queue.oldest, row["oldest"])), default=None)
        found[name] = Queue(name, queue.waiting + row["waiting"], queue.running + row["running"], oldest, 0)
    return [
        Queue(it.name, it.waiting, it.running, it.oldest, sum(it.name in heard for heard in listening))
        for it in found.values()
    ]


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
