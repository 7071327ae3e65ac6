"""A worker that is told to stop gives its job back; one of an older version leaves newer jobs alone."""

from __future__ import annotations

import datetime
import io
import signal

import pytest
from django.utils import timezone

from contest.files.storage import submitted
from contest.jobs import queue
from contest.jobs.job_version import RELEASE
from contest.jobs.queue import IN_SANDBOX
from contest.models import AttackRun, Entry, Job, Phase
from contest.services import team_attacks
from tests.factories import entry_files, make_entry, make_round, make_team, work_off
from tests.services.installation import Processes, wait_for
from tests.services.test_offence import member, need_sandbox

pytestmark = pytest.mark.django_db(transaction=True)

SLEEPER = b"import time\ntime.sleep(600)\n"


@pytest.mark.broker
def test_a_stopped_worker_gives_its_job_back_and_the_attempt_is_not_counted() -> None:
    need_sandbox()
    now, day = timezone.now(), datetime.timedelta(days=1)
    phases = [(Phase.Kind.ANONYMISE, now - day, now + day), (Phase.Kind.ATTACK, now - day, now + day)]
    round_ = make_round(phases=phases)
    hunted, hunter = make_team(round_.contest), make_team(round_.contest)
    make_entry(round_, hunted)
    work_off()
    team_attacks.submit_program(round_, hunter, member(hunter), submitted.put(io.BytesIO(SLEEPER)))
    job = Job.objects.get(kind=Job.Kind.PROGRAM)
    # The lease is far longer than the test: only the worker itself can give the job back in time.
    with Processes(KAKURENBO_JOB_LEASE_SECONDS="3600", KAKURENBO_WORKER_STOP_SECONDS="1") as processes:
        worker = processes.start_worker()

        def is_running() -> bool:
            job.refresh_from_db()
            return job.state == Job.State.RUNNING and job.step == IN_SANDBOX().as_data()

        wait_for(is_running, 120, "the worker has begun")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=120) == 0
    job.refresh_from_db()
    assert (job.state, job.attempts, job.token) == (Job.State.QUEUED, 0, "")
    assert job.reason["code"] == "job.worker-stopped"
    assert AttackRun.objects.get(jobs=job).state == AttackRun.State.RUNNING


def test_a_worker_that_stops_takes_nothing_from_others() -> None:
    round_ = make_round()
    for _ in range(2):
        make_entry(round_, make_team(round_.contest))
    first, second = (queue.claim_job(job.pk) for job in Job.objects.order_by("pk"))
    assert first is not None and second is not None
    Job.objects.filter(pk=second.job.pk).update(worker="another:1")
    assert queue.give_back(queue.WORKER.name) == 1
    assert second.mine().exists() and not first.mine().exists()
    with pytest.raises(queue.LeaseLost), first.finish():
        raise AssertionError("the block must not run")


def test_a_worker_leaves_a_newer_versions_job_to_newer_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    round_ = make_round()
    with monkeypatch.context() as newer:
        newer.setattr(queue, "RELEASE", RELEASE + 1)
        new = make_entry(round_, make_team(round_.contest))
    old = make_entry(round_, make_team(round_.contest), entry_files("swap", 2))
    job = Job.objects.get(entry=new)
    assert job.release == RELEASE + 1
    assert queue.claim_job(job.pk) is None
    claim = queue.claim_next(Job.Kind.CHECK)
    assert claim is not None and claim.job.entry == old
    queue.put_back(claim.job.pk, claim.token, "test")
    queue.perform_next(Job.Kind.CHECK, lambda claim: None)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
    monkeypatch.setattr(queue, "RELEASE", RELEASE + 1)
    Job.objects.filter(entry=old).delete()
    work_off()
    new.refresh_from_db()
    assert new.state == Entry.State.VALID
