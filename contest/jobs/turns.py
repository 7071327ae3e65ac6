"""Whose turn it is: the order in which the queued jobs of a kind are claimed.

Owners take turns. The owner that began a job of the kind longest ago is next; those that never began one come
before all others, the one with the oldest queued job first. Each gives its oldest job. A job that belongs to
nobody counts as an owner of its own that never began one.

The cost grows with the number of owners that wait, not with the length of their queues: the database jumps
from the head of one owner's queue to the head of the next (indexes `job_queue` and `job_last_turn`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count

from contest.models import Job

ANY_RELEASE = 2**31 - 1
# Django has no recursive queries. The orders name the owner before the number because only the index of the
# queue gives that order. By number alone PostgreSQL, which expects queued jobs everywhere among the others,
# would walk over everything that is done to find the first one. It joins nothing but one row at a time,
# because it expects more owners than there are and would read the whole table for another join.
_FIRST = """
        SELECT job.id, job.owner_id FROM contest_job job
        WHERE job.kind = %(kind)s AND job.state = 'queued' AND job.release <= %(release)s
            AND job.owner_id > {owner}
        ORDER BY job.owner_id, job.id LIMIT 1
"""
_NEXT = {
    "postgresql": "CROSS JOIN LATERAL ({first}) next",
    "sqlite": "JOIN contest_job next ON next.id = (SELECT found.id FROM ({first}) found)",
}
"""How to find both columns of the head of the next owner; SQLite has no lateral joins."""
_HEADS = """
WITH RECURSIVE head(id, owner_id) AS (
    SELECT * FROM ({first}) first
    UNION ALL
    SELECT next.id, next.owner_id FROM head {next}
), candidate AS MATERIALIZED (
    SELECT head.id, head.owner_id, (
        SELECT turn.started_at FROM contest_job turn
        WHERE turn.owner_id = head.owner_id AND turn.kind = %(kind)s AND turn.started_at IS NOT NULL
        ORDER BY turn.started_at DESC LIMIT 1
    ) AS last_turn
    FROM head
)
SELECT id, owner_id, last_turn IS NOT NULL FROM candidate ORDER BY last_turn NULLS FIRST, id LIMIT %(most)s
"""
HEADS = {
    vendor: _HEADS.format(
        first=_FIRST.format(owner=0), next=join.format(first=_FIRST.format(owner="head.owner_id"))
    )
    for vendor, join in _NEXT.items()
}
OF_NOBODY = """
SELECT job.id FROM contest_job job
WHERE job.kind = %(kind)s AND job.state = 'queued' AND job.release <= %(release)s AND job.owner_id IS NULL
ORDER BY job.owner_id, job.id LIMIT %(most)s
"""


@dataclass(frozen=True)
class Head:
    """The job with which an owner is next; `had_turn` if the owner has begun a job of the kind before."""

    job: int
    owner: int | None
    had_turn: bool


def next_in_turn(kind: Job.Kind, release: int, most: int) -> list[Head]:
    """The first heads, in the order in which workers of this release claim them."""
    asked: dict[str, str | int] = {"kind": kind.value, "release": release, "most": most}
    heads = _heads_of_owners(asked)
    with connection.cursor() as cursor:
        cursor.execute(OF_NOBODY, asked)
        heads += [Head(job, None, False) for (job,) in cursor.fetchall()]
    # The sort is stable, so that those who had a turn stay in the order of their turns.
    return sorted(heads, key=lambda head: (head.had_turn, 0 if head.had_turn else head.job))[:most]


def _heads_of_owners(asked: dict[str, str | int]) -> list[Head]:
    with connection.cursor() as cursor:
        cursor.execute(HEADS[connection.vendor], asked)
        return [Head(job, owner, bool(had_turn)) for job, owner, had_turn in cursor.fetchall()]


def places(kind: Job.Kind, wanted: Iterable[tuple[int | None, int]]) -> list[int]:
    """The places of queued jobs, given as owner and number; the first is 1, if no other job comes.

    An owner's second job comes after the first of everybody, and so on.
    """
    queued = Job.objects.filter(kind=kind, state=Job.State.QUEUED)
    asked = list(wanted)
    turns = {job: queued.filter(owner=owner, pk__lt=job).count() for owner, job in asked}
    heads = _heads_of_owners({"kind": kind.value, "release": ANY_RELEASE, "most": ANY_RELEASE})
    of_nobody = queued.filter(owner=None)
    waiting: dict[int | None, int] = dict.fromkeys((head.owner for head in heads), 1)
    if any(owner is not None and turns[job] for owner, job in asked):
        waiting |= dict(queued.exclude(owner=None).order_by().values_list("owner").annotate(n=Count("pk")))

    def place(owner: int | None, job: int) -> int:
        if owner is None:
            return 1 + turns[job] + sum(not head.had_turn and head.job < job for head in heads)
        mine = next((number for number, head in enumerate(heads) if head.owner == owner), None)
        if mine is None:
            return 1  # It was claimed a moment ago.
        turn, head = turns[job], heads[mine]
        ahead = sum(
            min(waiting[other.owner], turn + (number < mine))
            for number, other in enumerate(heads)
            if number != mine
        )
        free = of_nobody if turn or head.had_turn else of_nobody.filter(pk__lt=head.job)
        return 1 + turn + ahead + free.count()

    return [place(owner, job) for owner, job in asked]
