"""Claims, leases and the sweeper, without processes: who holds a job and who may write its outcome."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from contest.jobs import queue
from contest.models import AttackRun, AuditEvent, Entry, Job, Score
from contest.work.handlers import work_on
from tests.factories import make_entry, make_round, make_team, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def entry() -> Entry:
    round_ = make_round()
    return make_entry(round_, make_team(round_.contest, "Kitsune"))


def lapse(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - datetime.timedelta(seconds=1))


def test_an_entry_goes_through_check_score_and_attack(entry: Entry) -> None:
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.VALID
    assert entry.is_official
    assert sorted(entry.scores.values_list("measure", flat=True)) == ["cmae", "rfm", "subset", "ut-jaccard"]
    run = AttackRun.objects.get(entry=entry)
    assert run.state == AttackRun.State.DONE
    assert entry.hits == run.hits
    assert not Job.objects.exclude(state=Job.State.DONE).exists()
    states = [event.after["state"] for event in AuditEvent.objects.filter(verb="entry.state").order_by("id")]
    assert states == ["checking", "scoring", "valid"]


def test_a_job_is_claimed_once(entry: Entry) -> None:
    job = Job.objects.get()
    assert queue.claim_job(job.pk) is not None
    assert queue.claim_job(job.pk) is None


def test_a_lapsed_lease_is_given_back_and_the_old_worker_can_write_nothing(entry: Entry) -> None:
    claim = queue.claim_job(Job.objects.get().pk)
    assert claim is not None
    lapse(claim.job)
    assert queue.sweep_jobs()["given_back"] == 1
    assert Job.objects.get().state == Job.State.QUEUED
    with pytest.raises(queue.LeaseLost), claim.finish():
        raise AssertionError("the block must not run")
    with pytest.raises(queue.LeaseLost):
        claim.report(50, "too late")
    work_off()
    assert Score.objects.filter(entry=entry).count() == 4


def test_a_worker_that_loses_its_lease_while_writing_leaves_nothing(entry: Entry) -> None:
    claim = queue.claim_job(Job.objects.get().pk)
    assert claim is not None
    with pytest.raises(RuntimeError), claim.finish():
        Entry.objects.filter(pk=entry.pk).update(note="half written")
        raise RuntimeError("the power goes out")
    entry.refresh_from_db()
    assert entry.note == ""
    assert Job.objects.get().state == Job.State.RUNNING


def test_a_job_that_always_crashes_ends_failed_and_costs_no_attempt(entry: Entry, settings: Any) -> None:
    settings.JOB_MAX_ATTEMPTS = 3

    def crash(claim: queue.Claim) -> None:
        raise ZeroDivisionError("a bug of ours")

    job = Job.objects.get()
    for _ in range(3):
        queue.perform_next(Job.Kind.CHECK, crash)
    job.refresh_from_db()
    entry.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "ZeroDivisionError" in job.error
    assert job.attempts == 3
    assert entry.state == Entry.State.FAILED
    assert not entry.costs_attempt
    queue.perform_next(Job.Kind.CHECK, crash)
    assert Job.objects.get().attempts == 3


def test_a_job_that_a_migration_overtook_loses_no_attempt(entry: Entry) -> None:
    """It fails on the old tables; by the time we ask, the database is up to date."""
    recorder = MigrationRecorder(connection)

    def fail(claim: queue.Claim) -> None:
        raise DatabaseError("no such column")

    def overtaken(claim: queue.Claim) -> None:
        recorder.record_applied("contest", "9999_meanwhile")
        fail(claim)

    try:
        queue.perform_next(Job.Kind.CHECK, overtaken)
        job = Job.objects.get(entry=entry)
        assert (job.state, job.attempts, job.reason) == (
            Job.State.QUEUED,
            0,
            queue.DATABASE_BEHIND().as_data(),
        )
    finally:
        recorder.record_unapplied("contest", "9999_meanwhile")
    queue.perform_next(Job.Kind.CHECK, fail)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.reason) == (Job.State.QUEUED, 1, queue.OUR_ERROR().as_data())


def test_a_failed_attack_leaves_the_entry_without_waiting_for_ever(entry: Entry, settings: Any) -> None:
    settings.JOB_MAX_ATTEMPTS = 1
    while Job.objects.filter(kind=Job.Kind.ATTACK).count() == 0:
        next_job = Job.objects.get(state=Job.State.QUEUED)
        work_on(Job.Kind(next_job.kind))

    def crash(claim: queue.Claim) -> None:
        raise MemoryError

    queue.perform_next(Job.Kind.ATTACK, crash)
    assert AttackRun.objects.get().state == AttackRun.State.FAILED
    entry.refresh_from_db()
    assert entry.hits is None


def test_the_sweeper_notifies_again_of_a_job_that_nobody_took(
    entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    notified: list[int] = []
    monkeypatch.setattr(queue, "notify_worker", lambda job_id, kind: notified.append(job_id))
    job = Job.objects.get()
    assert queue.sweep_jobs() == {"given_back": 0, "notified": 0}
    long_ago = timezone.now() - datetime.timedelta(seconds=django_settings.JOB_RING_SECONDS + 1)
    Job.objects.update(rung_at=long_ago)
    assert queue.sweep_jobs() == {"given_back": 0, "notified": 1}
    assert notified == [job.pk]
    assert queue.sweep_jobs() == {"given_back": 0, "notified": 0}


def test_a_broker_that_is_down_does_not_lose_the_upload(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kombu.exceptions import OperationalError

    from config.celery import app

    def unreachable(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(app, "send_task", unreachable)
    round_ = make_round()
    entry = make_entry(round_, make_team(round_.contest))
    assert Job.objects.get(entry=entry).state == Job.State.QUEUED
    work_off()
    entry.refresh_from_db()
    assert entry.state == Entry.State.VALID


def test_running_every_job_twice_leaves_one_result(entry: Entry) -> None:
    work_off()
    for job in Job.objects.all():
        work_on(Job.Kind(job.kind))
    assert Score.objects.count() == 4
    assert AttackRun.objects.count() == 1
    assert Job.objects.count() == 3


def test_a_team_with_a_thousand_jobs_keeps_another_waiting_for_one(entry: Entry) -> None:
    """Fairness: whoever comes with a single check has it done after at most one job of the crowd."""
    busy = make_team(entry.round.contest, "Busy")
    crowd = [Job(kind=Job.Kind.CHECK, owner=busy, release=1, rung_at=timezone.now()) for _ in range(1000)]
    Job.objects.bulk_create(crowd)
    Job.objects.filter(entry=entry).delete()
    first = queue.claim_next(Job.Kind.CHECK)
    assert first is not None and first.job.owner == busy
    late = queue.enqueue_job(Job.Kind.CHECK, entry=entry, owner_id=entry.team_id)
    claims = [queue.claim_next(Job.Kind.CHECK) for _ in range(2)]
    assert late.pk in [claim.job.pk for claim in claims if claim is not None][:1]
