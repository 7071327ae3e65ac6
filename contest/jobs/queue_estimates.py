"""How long a job still waits: the place in the queue, and an estimate from what runs and what is ahead.

The estimate knows the processes that may take the job, what each of them is doing, and what is ahead. Most
work takes as long as the last jobs of its kind did. A team's program takes as long as its author likes, so
that only its limit says when it has ended: what waits for programs gets the worst case besides the pace.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, QuerySet
from django.utils import timezone

from attacks.sandbox import Limits
from contest.jobs.heartbeats import living
from contest.jobs.queues import QUEUES
from contest.jobs.turns import places
from contest.models import Heartbeat, Job

LAST_JOBS = 20
"""The pace is the mean of this many finished jobs of the kind."""
PROGRAM_SECONDS = Limits().wall_seconds
"""After this long a team's program is stopped."""


@dataclass(frozen=True)
class Wait:
    """No `position` while one of the jobs runs; no `seconds` where nothing is known to estimate them from.

    `at_most` is set where programs of teams decide: how long it takes if they use all of their time.
    `is_attended` says whether a worker is there that takes such jobs.
    """

    position: int | None
    seconds: float | None
    at_most: float | None = None
    is_attended: bool = True

    @property
    def minutes(self) -> int | None:
        return _minutes(self.seconds)

    @property
    def minutes_at_most(self) -> int | None:
        return _minutes(self.at_most)

    @property
    def is_bound(self) -> bool:
        """Whether nothing better is known than the worst case."""
        return self.at_most is not None and (self.seconds is None or self.at_most <= 1.1 * self.seconds)


def _minutes(seconds: float | None) -> int | None:
    """Minutes that have begun. What `begin` finds may be slightly above a whole minute."""
    return None if seconds is None else math.ceil(round(seconds, 3) / 60)


@dataclass(frozen=True)
class Span:
    """Seconds as expected, and the least and the most that they can be, which differ for programs alone."""

    expected: float
    least: float
    most: float

    @classmethod
    def known(cls, seconds: float) -> Span:
        return cls(seconds, seconds, seconds)


@dataclass(frozen=True)
class Mine:
    """Unfinished jobs of one kind and owner in one state: the first and the last of them."""

    kind: Job.Kind
    owner: int | None
    state: str
    first: int
    last: int
    since: datetime | None


def wait_for(jobs: QuerySet[Job]) -> Wait | None:
    """When the first of these jobs begins and the last one ends; nothing where all have ended."""
    unfinished = jobs.filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).order_by()
    rows = unfinished.values_list("kind", "owner", "state").annotate(Min("pk"), Max("pk"), Max("started_at"))
    by_kind: dict[Job.Kind, list[Mine]] = defaultdict(list)
    for kind, *row in rows:
        by_kind[Job.Kind(kind)].append(Mine(Job.Kind(kind), *row))
    if not by_kind:
        return None
    waits = [_wait_in_kind(kind, mine) for kind, mine in by_kind.items()]
    running = any(mine.state == Job.State.RUNNING for group in by_kind.values() for mine in group)
    positions = [wait.position for wait in waits if wait.position is not None]
    bounds = [wait.at_most for wait in waits if wait.at_most is not None]
    return Wait(
        position=None if running or not positions else min(positions),
        seconds=_last(wait.seconds for wait in waits),
        at_most=_last(wait.at_most or wait.seconds for wait in waits) if bounds else None,
        is_attended=all(wait.is_attended for wait in waits),
    )


def _last(seconds: Iterable[float | None]) -> float | None:
    """The largest, where all are known."""
    known = list(seconds)
    return None if None in known else max(value for value in known if value is not None)


def _wait_in_kind(kind: Job.Kind, mine: Sequence[Mine]) -> Wait:
    queued = [row for row in mine if row.state == Job.State.QUEUED]
    pace = _pace(kind)
    if not queued:
        ends = [_left(kind, row.since, pace) for row in mine if row.since]
        return _wait(None, _latest(ends), is_attended=True)
    found = places(kind, [(row.owner, job) for row in queued for job in {row.first, row.last}])
    workers = [worker for worker in living(Heartbeat.Kind.WORKER) if QUEUES[kind] in worker.queues]
    if not workers:
        return Wait(min(found), None, is_attended=False)
    own = _span(kind, pace)
    ahead = [(max(found) - 1, own), *_other_kinds(kind, workers, max(row.last for row in queued))]
    return _wait(min(found), _end(_slots(workers), ahead, own), is_attended=True)


def _wait(position: int | None, end: Span | None, *, is_attended: bool) -> Wait:
    if end is None:
        return Wait(position, None, is_attended=is_attended)
    is_certain = math.isclose(end.least, end.most)
    return Wait(position, max(1.0, end.expected), None if is_certain else max(1.0, end.most), is_attended)


def _latest(spans: Sequence[Span | None]) -> Span | None:
    if not spans or None in spans:
        return None
    known = [span for span in spans if span is not None]
    return max(known, key=lambda span: (span.most, span.expected))


def _pace(kind: Job.Kind) -> float | None:
    """Seconds that a job of this kind takes."""
    done = Job.objects.filter(kind=kind, state=Job.State.DONE, started_at__isnull=False)
    spans = done.order_by("-finished_at").values_list("started_at", "finished_at")[:LAST_JOBS]
    seconds = [(end - start).total_seconds() for start, end in spans if end is not None and start is not None]
    return sum(seconds) / len(seconds) if seconds else None


def _span(kind: Job.Kind, pace: float | None) -> Span | None:
    """How long a job of a kind takes from its beginning."""
    if kind == Job.Kind.PROGRAM:
        return Span(PROGRAM_SECONDS if pace is None else pace, 0.0, PROGRAM_SECONDS)
    return None if pace is None else Span.known(pace)


def _left(kind: Job.Kind, since: datetime, pace: float | None) -> Span | None:
    """How long a running job still takes; one that has taken longer than usual, as long again."""
    spent = max(0.0, (timezone.now() - since).total_seconds())
    if kind == Job.Kind.PROGRAM:
        most = max(0.0, PROGRAM_SECONDS - spent)
        return Span(pace - spent if pace is not None and spent < pace else most, 0.0, most)
    return None if pace is None else Span.known(pace - spent if spent < pace else spent)


def _slots(workers: Sequence[Heartbeat]) -> list[Span]:
    """When each process of these workers is free: now, or when what it does has ended."""
    busy: dict[str, list[Span]] = {worker.name: [] for worker in workers}
    running = Job.objects.filter(state=Job.State.RUNNING, worker__in=busy).order_by("started_at")
    found = running.values_list("worker", "kind", "started_at")
    rows = [(name, kind, since) for name, kind, since in found if since is not None]
    paces = {kind: _pace(Job.Kind(kind)) for kind in {kind for _, kind, _ in rows}}
    for name, kind, since in rows:
        # Of the first job of its kind nothing is known but that it has not ended yet.
        left = _left(Job.Kind(kind), since, paces[kind]) or _left(Job.Kind(kind), since, 0.0)
        busy[name].append(left or Span.known(0.0))
    free = [Span.known(0.0)]
    return [span for it in workers for span in busy[it.name] + free * (it.slots - len(busy[it.name]))]


def _other_kinds(kind: Job.Kind, workers: Sequence[Heartbeat], last: int) -> list[tuple[int, Span | None]]:
    """What else these workers were asked for before the last of our jobs: how many, and how long each."""
    heard = {queue for worker in workers for queue in worker.queues}
    others = [other for other in Job.Kind if other != kind and QUEUES[other] in heard]
    older = Job.objects.filter(kind__in=others, state=Job.State.QUEUED, pk__lt=last).order_by()
    counts = older.values_list("kind").annotate(n=Count("pk"))
    return [(n, _span(Job.Kind(other), _pace(Job.Kind(other)))) for other, n in counts]


def _end(slots: Sequence[Span], ahead: Sequence[tuple[int, Span | None]], own: Span | None) -> Span | None:
    """When a job has ended that begins once all that is ahead has begun."""
    if own is None:
        return None
    work = [(n, own if span is None else span) for n, span in ahead]
    number = sum(n for n, _ in work)

    def end(part: str) -> float:
        mean = sum(n * getattr(span, part) for n, span in work) / max(1, number)
        return begin([getattr(slot, part) for slot in slots], number, mean) + float(getattr(own, part))

    return Span(end("expected"), end("least"), end("most"))


def time_needed(work: Sequence[tuple[int, float]], processes: int) -> float | None:
    """Seconds until given numbers of jobs of given lengths are done by processes that do nothing else.

    Nothing where there is no process. A job is not divided: five of 10 s take two of them as long as six.

    >>> time_needed([(2, 10.0), (2, 30.0)], 2), time_needed([(5, 10.0)], 2), time_needed([(6, 10.0)], 2)
    (40.0, 30.0, 30.0)
    >>> time_needed([(5, 10.0)], 0), time_needed([(0, 10.0)], 0)
    (None, 0.0)
    """
    number = sum(n for n, _ in work)
    if number == 0:
        return 0.0
    if processes == 0:
        return None
    mean = sum(n * seconds for n, seconds in work) / number
    return math.ceil(number / processes) * mean


def begin(free: Sequence[float], ahead: int, pace: float) -> float:
    """When a job begins that has this many of equal length ahead, on processes that are free at these times.

    Two processes, one busy for 100 s; three jobs of 10 s ahead are done by the other one:

    >>> round(begin([100.0, 0.0], 3, 10.0), 6)
    30.0
    >>> round(begin([100.0], 3, 10.0), 6), begin([100.0, 40.0], 0, 10.0), begin([5.0], 7, 0.0)
    (130.0, 40.0, 5.0)
    """
    low = min(free)
    if ahead == 0 or pace <= 0:
        return low
    high = low + ahead * pace
    while high - low > 1e-7 * max(1.0, high):
        middle = (low + high) / 2
        begun = sum(math.floor((middle - at) / pace) + 1 for at in free if at <= middle)
        low, high = (low, middle) if begun > ahead else (middle, high)
    return high
