"""Claiming a job with 1,000, 10,000 and 100,000 queued and as many done, on SQLite and PostgreSQL.

The queue belongs to one team, to 22, to 1,000, or to nobody. Printed are the shortest and the median of the
claims and of their look for whose turn it is; of the rest the median of three, in milliseconds.
"""

from __future__ import annotations

import datetime
import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from typing import Any

from tests.backends import POSTGRES, remove_database
from tests.conftest import ROOT

SIZES = (1_000, 10_000, 100_000)
OWNERS = {"one team": 1, "22 teams": 22, "1,000 teams": 1_000, "nobody": 0}
CLAIMS = 30


def main() -> None:
    name = f"kakurenbo_claim_{uuid.uuid4().hex[:12]}"
    urls = {"SQLite": "", "PostgreSQL": POSTGRES.rsplit("/", 1)[0] + f"/{name}"}
    try:
        for title, url in urls.items():
            # Django knows one database per process.
            command = [sys.executable, "-m", "tests.bench.bench_claim", title]
            subprocess.run(command, cwd=ROOT, env={**os.environ, "KAKURENBO_DATABASE_URL": url}, check=True)
    finally:
        remove_database(f"test_{name}")


def measure_database(title: str) -> None:
    from tests.bench.bench_board import installation

    with installation():
        teams = _teams(max(OWNERS.values()))
        for size in SIZES:
            for whose, n_owners in OWNERS.items():
                fill_queue([team.pk for team in teams[:n_owners]], size)
                print(f"{title:10} {size:7,} queued and as many done, {whose:11} {_figures()}", flush=True)


def _figures() -> str:
    from contest.jobs import queue
    from contest.jobs.job_version import RELEASE
    from contest.jobs.queue_estimates import wait_for
    from contest.jobs.turns import next_in_turn
    from contest.models import Job
    from contest.operations import metrics, overview

    last = Job.objects.filter(state=Job.State.QUEUED).order_by("-pk")[:1]
    looks = _seconds(lambda: next_in_turn(Job.Kind.ATTACK, RELEASE, queue.HEADS_PER_LOOK), CLAIMS)
    claims = _seconds(lambda: queue.claim_next(Job.Kind.ATTACK), CLAIMS)
    parts = [f"claim {_milliseconds(claims)}, of it the look {_milliseconds(looks)}"]
    others: dict[str, Callable[[], Any]] = {
        "place of the last": lambda: wait_for(
            Job.objects.filter(pk__in=list(last.values_list("pk", flat=True)))
        ),
        "sweep": queue.sweep_jobs,
        "operations": overview.queues,
        "failures": lambda: overview.failures(Job.objects.select_related("owner")),
        "metrics": metrics.exposition,
    }
    parts += [f"{what} {1000 * statistics.median(_seconds(call, 3)):.0f}" for what, call in others.items()]
    return "; ".join(parts)


def _milliseconds(seconds: list[float]) -> str:
    """On a busy machine the shortest says what the work takes, and the median what a worker waits for."""
    return f"{1000 * min(seconds):4.1f} to {1000 * statistics.median(seconds):4.1f} ms"


def _seconds(call: Callable[[], Any], times: int) -> list[float]:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return spent


def _teams(number: int) -> list[Any]:
    from contest.models import Team
    from tests.factories import make_contest

    contest = make_contest()
    made = [Team(contest=contest, name=f"Team {n}", name_key=f"team {n}") for n in range(number)]
    return Team.objects.bulk_create(made)


def fill_queue(owners: list[int], size: int) -> None:
    """So many jobs that are done and so many that wait, of these owners in turn, or of nobody."""
    from django.db import connection
    from django.utils import timezone

    from contest.models import Job

    Job.objects.all().delete()
    now = timezone.now()

    def job(place: int, state: Job.State) -> Job:
        at = now - datetime.timedelta(seconds=size - place)
        done = {"started_at": at, "finished_at": at} if state == Job.State.DONE else {}
        owner = owners[place % len(owners)] if owners else None
        return Job(kind=Job.Kind.ATTACK, owner_id=owner, state=state, release=1, rung_at=now, **done)

    for state in (Job.State.DONE, Job.State.QUEUED):
        Job.objects.bulk_create([job(place, state) for place in range(size)], batch_size=5_000)
    with connection.cursor() as cursor:
        # What PostgreSQL does by itself after a minute. It cannot inside a transaction, nor can a test.
        is_alone = connection.vendor == "postgresql" and not connection.in_atomic_block
        cursor.execute("VACUUM (ANALYZE) contest_job" if is_alone else "ANALYZE contest_job")


if __name__ == "__main__":
    measure_database(sys.argv[1]) if sys.argv[1:] else main()
