"""Who is next in a queue, against the rule written out over all jobs; and that asking does not get dearer."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from contest.jobs import queue
from contest.jobs.heartbeats import beat
from contest.jobs.job_version import RELEASE
from contest.jobs.queue_estimates import wait_for
from contest.jobs.queues import QUEUES
from contest.jobs.turns import next_in_turn
from contest.models import Heartbeat, Job, Team
from contest.operations import overview
from tests.bench.bench_claim import fill_queue
from tests.factories import make_contest, make_team

pytestmark = pytest.mark.django_db(transaction=True)
KIND = Job.Kind.ATTACK


def order_by_the_rule() -> list[Job]:
    """Brute force: every queued job that this release can do, by its owner's last turn and then by number."""
    everything = list(Job.objects.filter(kind=KIND))
    turns: dict[int, datetime.datetime] = {}
    for job in everything:
        if job.owner_id is not None and job.started_at is not None:
            turns[job.owner_id] = max(job.started_at, turns.get(job.owner_id, job.started_at))
    waiting = [job for job in everything if job.state == Job.State.QUEUED and job.release <= RELEASE]
    never = datetime.datetime.min.replace(tzinfo=datetime.UTC)
    return sorted(waiting, key=lambda job: (turns.get(job.owner_id or 0, never), job.pk))


def make_random_queue(rng: random.Random) -> None:
    """Owners with and without turns, turns at the same time, jobs put back, of other kinds and releases."""
    contest = make_contest()
    owners: list[Team | None] = [make_team(contest) for _ in range(rng.randrange(1, 6))]
    if rng.random() < 0.7:
        owners.append(None)
    begin = timezone.now() - datetime.timedelta(hours=1)
    made = []
    for _ in range(rng.randrange(1, 30)):
        state = rng.choice([Job.State.QUEUED, Job.State.QUEUED, Job.State.DONE, Job.State.FAILED])
        was_started = state != Job.State.QUEUED or rng.random() < 0.2
        made.append(
            Job(
                kind=rng.choice([KIND, KIND, KIND, Job.Kind.CHECK]),
                owner=rng.choice(owners),
                state=state,
                release=RELEASE + (rng.random() < 0.1),
                rung_at=begin,
                started_at=begin + datetime.timedelta(seconds=rng.randrange(8)) if was_started else None,
            )
        )
    Job.objects.bulk_create(made)


def test_jobs_are_claimed_in_the_order_of_the_rule() -> None:
    for seed in range(30):
        Job.objects.all().delete()
        make_random_queue(random.Random(seed))
        while expected := order_by_the_rule():
            first_of_owner = {job.owner_id or -job.pk: job.pk for job in reversed(expected)}
            heads = [job.pk for job in expected if job.pk in first_of_owner.values()]
            assert [head.job for head in next_in_turn(KIND, RELEASE, 100)] == heads, seed
            claim = queue.claim_next(KIND)
            assert claim is not None and claim.job.pk == expected[0].pk, seed
        assert queue.claim_next(KIND) is None, seed


def test_a_look_is_cut_to_the_owners_who_are_next() -> None:
    make_random_queue(random.Random(5))
    heads = next_in_turn(KIND, RELEASE, 100)
    assert len(heads) > 2
    for most in range(1, len(heads)):
        assert next_in_turn(KIND, RELEASE, most) == heads[:most]


@contextmanager
def work_counted() -> Iterator[list[int]]:
    """What the database does for the block's queries: SQLite's steps, or the rows that PostgreSQL touches."""
    done = [0]
    if connection.vendor == "sqlite":
        connection.ensure_connection()

        def step() -> int:
            done[0] += 1
            return 0

        connection.connection.set_progress_handler(step, 1)
        try:
            yield done
        finally:
            connection.connection.set_progress_handler(None, 0)
        return
    with CaptureQueriesContext(connection) as captured:
        yield done
    texts = [query["sql"].strip() for query in captured]
    done[0] = sum(_rows_touched(sql) for sql in texts if sql.startswith(("WITH", "SELECT", "UPDATE")))


def _rows_touched(sql: str) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        # Whether so few rows are read one after another depends on when autovacuum last came by.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + sql.replace("%", "%%"), [])
        plan = cursor.fetchone()[0]
        transaction.set_rollback(True)
    return _rows_of(json.loads(plan)[0]["Plan"] if isinstance(plan, str) else plan[0]["Plan"])


def _rows_of(node: dict[str, Any]) -> int:
    removed = sum(node.get(f"Rows Removed by {what}", 0) for what in ("Filter", "Index Recheck"))
    mine = (node["Actual Rows"] + removed) * node["Actual Loops"] if "Relation Name" in node else 0
    return int(mine) + sum(_rows_of(child) for child in node.get("Plans", []))


def look() -> None:
    """What claiming asks; the claim itself changes one row, by its number."""
    next_in_turn(KIND, RELEASE, queue.HEADS_PER_LOOK)


ASKED: dict[str, Callable[[], Any]] = {
    "claim": look,
    "sweep": queue.sweep_jobs,
    "place": lambda: wait_for(Job.objects.filter(pk=next_in_turn(KIND, RELEASE, 1)[0].job)),
    "failures": lambda: overview.failures(Job.objects.select_related("owner")),
}


@pytest.mark.parametrize("n_owners", [0, 1, 7])
@pytest.mark.parametrize("name", ASKED)
def test_ten_times_the_queue_is_not_more_work(name: str, n_owners: int) -> None:
    """Linear work would be ten times as much, quadratic a hundred times; an index has one more level at most.

    With too few rows PostgreSQL reads them all, whatever there is to help it, so the smaller queue has some.
    """
    contest = make_contest()
    owners = [make_team(contest).pk for _ in range(n_owners)]
    spent = []
    for size in (400, 4_000):
        fill_queue(owners, size)
        beat("worker", Heartbeat.Kind.WORKER, [QUEUES[KIND]], timezone.now())
        with work_counted() as done:
            ASKED[name]()
        spent.append(done[0])
    # Where there is nothing to find, PostgreSQL touches no row at all.
    assert spent[1] < 2 * spent[0] + 20, spent


@pytest.mark.parametrize("n_owners", [5, 10])
def test_a_look_finds_each_owners_head_and_last_turn_once(n_owners: int) -> None:
    """On PostgreSQL two rows for each owner and one for jobs of nobody; there were four for each owner."""
    contest = make_contest()
    fill_queue([make_team(contest).pk for _ in range(n_owners)], 4_000)
    with work_counted() as done:
        look()
    if connection.vendor == "postgresql":
        assert done[0] < 3 * n_owners
    else:
        assert 0 < done[0] < 200 * n_owners


def claim_in_threads(n_threads: int, claims_each: int) -> list[int]:
    """Claim from several threads, each on a connection of its own; the numbers of the jobs that they got."""

    def claim() -> list[int]:
        try:
            claims = [queue.claim_next(KIND) for _ in range(claims_each)]
        finally:
            connection.close()
        return [claim.job.pk for claim in claims if claim is not None]

    with ThreadPoolExecutor(n_threads) as pool:
        started = [pool.submit(claim) for _ in range(n_threads)]
        return [pk for future in started for pk in future.result()]


@pytest.mark.parametrize("n_owners", [0, 1, 3])
def test_workers_that_claim_at_once_get_every_job_once(n_owners: int) -> None:
    contest = make_contest()
    fill_queue([make_team(contest).pk for _ in range(n_owners)], 24)
    queued = set(Job.objects.filter(state=Job.State.QUEUED).values_list("pk", flat=True))
    claimed = claim_in_threads(6, 4)
    assert len(claimed) == 24
    assert set(claimed) == queued


def test_a_job_that_somebody_is_changing_keeps_no_worker_waiting() -> None:
    """On PostgreSQL; SQLite has one writer at a time, who waits for the other anyway."""
    contest = make_contest()
    first, second = (queue.enqueue_job(KIND, owner_id=make_team(contest).pk) for _ in range(2))
    if connection.vendor == "sqlite":
        assert claim_in_threads(1, 1) == [first.pk]
        return
    with transaction.atomic():
        Job.objects.filter(pk=first.pk).update(progress=1)
        assert claim_in_threads(1, 1) == [second.pk]
