"""How long somebody still waits: the place in the queue, and an estimate from the pace of the last jobs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, QuerySet
from django.utils import timezone

from contest.models import Job

LAST_JOBS = 20
"""The pace is the mean of so many finished jobs of the kind."""


@dataclass(frozen=True)
class Wait:
    """No `position` while one of the jobs runs; no `seconds` before any job of the kind has ended."""

    position: int | None
    seconds: float | None

    @property
    def minutes(self) -> int | None:
        return None if self.seconds is None else math.ceil(self.seconds / 60)


def wait_for(jobs: QuerySet[Job]) -> Wait | None:
    """When the first of these jobs begins and the last one ends; nothing where all have ended."""
    unfinished = list(jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]))
    if not unfinished:
        return None
    by_kind: dict[str, list[Job]] = defaultdict(list)
    for job in unfinished:
        by_kind[job.kind].append(job)
    waits = [_wait_in_kind(Job.Kind(kind), mine) for kind, mine in by_kind.items()]
    running = any(job.state == Job.State.RUNNING for job in unfinished)
    positions = [wait.position for wait in waits if wait.position is not None]
    seconds = [wait.seconds for wait in waits]
    known = [value for value in seconds if value is not None]
    return Wait(
        position=None if running or not positions else min(positions),
        seconds=max(known) if len(known) == len(seconds) else None,
    )


def _wait_in_kind(kind: Job.Kind, mine: list[Job]) -> Wait:
    queued = [job for job in mine if job.state == Job.State.QUEUED]
    pace = _pace(kind)
    if not queued:
        now = timezone.now()
        spent = min((now - job.started_at).total_seconds() for job in mine if job.started_at)
        return Wait(None, None if pace is None else max(1.0, pace - spent))
    order = turns(kind)
    places = [order[job.pk] for job in queued if job.pk in order] or [1]
    workers = max(1, Job.objects.filter(kind=kind, state=Job.State.RUNNING).count())
    ends = None if pace is None else max(1.0, pace * math.ceil(max(places) / workers))
    return Wait(min(places), ends)


def _pace(kind: Job.Kind) -> float | None:
    """Seconds that a job of this kind takes."""
    done = Job.objects.filter(kind=kind, state=Job.State.DONE, started_at__isnull=False)
    spans = done.order_by("-finished_at").values_list("started_at", "finished_at")[:LAST_JOBS]
    seconds = [(end - start).total_seconds() for start, end in spans if end is not None and start is not None]
    return sum(seconds) / len(seconds) if seconds else None


def turns(kind: Job.Kind) -> dict[int, int]:
    """The place of every queued job, first is 1, if no other comes: the order in which workers claim them.

    Owners take turns, whoever waited longest for one first (`services.jobs.claim_next`). What belongs to
    nobody is in nobody's way and counts as an owner of its own.
    """
    queues: dict[tuple[str, int], list[int]] = defaultdict(list)
    rows = Job.objects.filter(kind=kind, state=Job.State.QUEUED).order_by("pk").values_list("pk", "owner")
    for pk, owner in rows:
        queues[("job", pk) if owner is None else ("team", owner)].append(pk)
    owners = [key for what, key in queues if what == "team"]
    started = Job.objects.filter(kind=kind, owner__in=owners, started_at__isnull=False)
    last = dict(started.order_by().values_list("owner").annotate(at=Max("started_at")))
    return _round_robin(queues, last)


def _round_robin(queues: Mapping[tuple[str, int], list[int]], last: Mapping[int, datetime]) -> dict[int, int]:
    def turn(owner: tuple[str, int]) -> tuple[bool, float, int]:
        before = last.get(owner[1]) if owner[0] == "team" else None
        return (before is not None, before.timestamp() if before else 0.0, queues[owner][0])

    order = sorted(queues, key=turn)
    rounds: Iterable[int] = range(max(map(len, queues.values()), default=0))
    served = [queues[owner][number] for number in rounds for owner in order if number < len(queues[owner])]
    return {pk: place for place, pk in enumerate(served, start=1)}
