"""Jobs about whole rounds: one waits at most, and none begins before what it is for is committed."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction

from contest.jobs.queue import claim_job, enqueue_once
from contest.models import Job
from tests.factories import make_round

pytestmark = pytest.mark.django_db(transaction=True)
WAIT = 60
"""Seconds after which a thread has died; nothing here takes so long."""


def waiting(round_id: int) -> int:
    return Job.objects.filter(round=round_id, kind=Job.Kind.TALLY, state=Job.State.QUEUED).count()


def test_many_changes_at_once_leave_one_job() -> None:
    round_ = make_round()
    ready = threading.Barrier(4)

    def change() -> None:
        ready.wait(WAIT)
        try:
            with transaction.atomic():
                enqueue_once(Job.Kind.TALLY, round_.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=change) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert waiting(round_.pk) == 1


def test_a_waiting_job_is_held_until_the_change_that_needs_it_is_committed() -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time, so nobody can claim a job meanwhile")
    round_ = make_round()
    enqueue_once(Job.Kind.TALLY, round_.pk)
    job = Job.objects.get(round=round_.pk, kind=Job.Kind.TALLY)
    changed, looked = threading.Event(), threading.Event()

    def change() -> None:
        try:
            with transaction.atomic():
                enqueue_once(Job.Kind.TALLY, round_.pk)
                changed.set()
                looked.wait(WAIT)
        finally:
            connection.close()

    thread = threading.Thread(target=change)
    thread.start()
    assert changed.wait(WAIT)
    try:
        assert claim_job(job.pk, wait=False) is None
    finally:
        looked.set()
        thread.join(WAIT)
    assert claim_job(job.pk, wait=False) is not None
    # The job has begun: what changes from now on needs another one.
    enqueue_once(Job.Kind.TALLY, round_.pk)
    assert waiting(round_.pk) == 1
