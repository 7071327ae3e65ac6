"""Jobs: written with the work they are for, claimed by one worker at a time, given back when it dies."""

from __future__ import annotations

import datetime
import logging
import secrets
import socket
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError

from contest import logs, readiness
from contest.errors import lacks_room
from contest.models import AttackRun, Entry, Job
from contest.release import RELEASE
from contest.services.failures import record_failure
from contest.turns import next_in_turn

logger = logging.getLogger(__name__)

TASKS = {
    Job.Kind.CHECK: ("scoring.tasks.check_entry", "checks"),
    Job.Kind.SCORE: ("scoring.tasks.score_entry", "scoring"),
    Job.Kind.MEASURE: ("scoring.tasks.measure_entry", "scoring"),
    Job.Kind.ATTACK: ("attacks.tasks.run_attack", "attacks"),
    Job.Kind.PROGRAM: ("attacks.tasks.run_program", "programs"),
    Job.Kind.JUDGE: ("attacks.tasks.judge_guess", "checks"),
    Job.Kind.SIGNALS: ("attacks.tasks.look_for_signals", "scoring"),
    Job.Kind.HOUSE: ("anonymizers.tasks.make_house_entry", "house"),
    Job.Kind.MAIL: ("contest.tasks.send_announcement", "checks"),
    Job.Kind.LETTER: ("contest.tasks.send_letter", "checks"),
    Job.Kind.WEBHOOK: ("contest.tasks.deliver_news", "checks"),
}


def queue_names() -> list[str]:
    """The queues that workers listen to. A prefix lets several installations share one broker."""
    return sorted({settings.QUEUE_PREFIX + queue for _, queue in TASKS.values()})


BELLS_A_SWEEP = 20
"""Bells that the sweeper rings again for each kind of job; more would only fill the broker."""
BELLS_FOR_ATTACK_MACHINES = 500
"""Bells that a sweep rings for jobs of which no bell has been rung yet."""
UNRUNG = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
"""In the place of a bell's time: attack machines may not put anything into queues, the next sweep does."""
CLAIM_TRIES = 100
"""How often a worker looks again when others are faster."""
HEADS_A_LOOK = 20
"""Owners whose turn is next that a worker tries before it looks again."""


@dataclass
class Worker:
    """By what name this process holds jobs: its machine's, and in a worker also its main process' number."""

    host: str
    name: str


WORKER = Worker(socket.gethostname()[:100], socket.gethostname()[:100])


class LeaseLost(Exception):
    """Somebody else holds this job now, so nothing of ours may be written."""


def enqueue_job(
    kind: Job.Kind,
    *,
    entry: Entry | None = None,
    attack_run: AttackRun | None = None,
    owner_id: int | None = None,
    payload: dict[str, Any] | None = None,
) -> Job:
    """Write a job in the caller's transaction; its bell rings when that is committed."""
    job = Job.objects.create(
        kind=kind,
        entry=entry,
        attack_run=attack_run,
        owner_id=owner_id,
        payload=payload or {},
        release=RELEASE,
        rung_at=_bell_time(),
    )
    transaction.on_commit(lambda: ring(job.pk, kind), robust=True)
    return job


def ring(job_id: int, kind: str) -> None:
    """Tell a worker about a job. A bell that is not heard costs seconds: the sweeper rings again."""
    from config.celery import app

    if settings.ROLE == "attacks":
        return
    name, queue = TASKS[Job.Kind(kind)]
    try:
        app.send_task(name, args=[job_id], queue=settings.QUEUE_PREFIX + queue, retry=False)
    except (OperationalError, OSError):
        logger.warning("broker unreachable, job %s waits for the sweeper", job_id)


def _bell_time() -> datetime.datetime:
    """When the bell of a job that is queued now is rung by this machine."""
    return UNRUNG if settings.ROLE == "attacks" else timezone.now()


@dataclass
class Claim:
    """A job in the hands of this worker, as long as the token in the row is ours."""

    job: Job
    token: str

    def mine(self) -> Any:
        return Job.objects.filter(pk=self.job.pk, token=self.token, state=Job.State.RUNNING)

    def report(self, progress: int, step: str) -> None:
        """Show how far the work is; stop it where the job is no longer ours."""
        if not self.mine().update(progress=min(99, progress), step=step[:60]):
            raise LeaseLost

    @contextmanager
    def finish(self, reason: str = "") -> Iterator[None]:
        """Write the outcome inside this block: it is committed with the job's end, or not at all."""
        with transaction.atomic():
            done = self.mine().update(
                state=Job.State.DONE,
                progress=100,
                step="",
                reason=reason[:300],
                token="",
                lease_until=None,
                finished_at=timezone.now(),
            )
            if not done:
                raise LeaseLost
            yield


def claim_job(job_id: int, *, wait: bool = True) -> Claim | None:
    """Take a queued job, or nothing where another worker has it or had it, or where it needs a newer one.

    Without `wait` a job that somebody else is changing is left alone; PostgreSQL would wait for their commit.
    """
    token = secrets.token_hex(16)
    now = timezone.now()
    ours = Job.objects.filter(pk=job_id, state=Job.State.QUEUED, release__lte=RELEASE)
    with transaction.atomic():
        if not wait:
            ours = ours.filter(pk__in=ours.select_for_update(skip_locked=True, no_key=True).values("pk"))
        taken = ours.update(
            state=Job.State.RUNNING,
            attempts=F("attempts") + 1,
            token=token,
            lease_until=now + _lease(),
            started_at=now,
            worker=WORKER.name,
            progress=0,
        )
    if not taken:
        return None
    return Claim(Job.objects.get(pk=job_id), token)


def claim_next(kind: Job.Kind) -> Claim | None:
    """Take the job of a kind whose owner has waited longest for a turn.

    A bell says only that there is work. Whose it is is decided here, one job an owner in turn, so that a team
    with a thousand jobs keeps another team's single job waiting for one of them, not for all. An owner whose
    job is just being taken by another worker has had its turn; we take the next one's.
    """
    for _ in range(CLAIM_TRIES):
        heads = next_in_turn(kind, RELEASE, HEADS_A_LOOK)
        if not heads:
            return None
        for head in heads:
            claim = claim_job(head.job, wait=False)
            if claim is not None:
                return claim
        # All were taken meanwhile. Looking again at once would find them unchanged until that is committed.
        claim = claim_job(heads[0].job)
        if claim is not None:
            return claim
    return None


def perform_next(kind: Job.Kind, handler: Callable[[Claim], None]) -> None:
    """Claim the next job of a kind, keep its lease alive, run the handler, and settle whatever happens."""
    claim = claim_next(kind)
    if claim is not None:
        _perform(claim, handler)


def perform(job_id: int, handler: Callable[[Claim], None]) -> None:
    """Do one particular job, if nobody has it."""
    claim = claim_job(job_id)
    if claim is not None:
        _perform(claim, handler)


def _perform(claim: Claim, handler: Callable[[Claim], None]) -> None:
    job_id = claim.job.pk
    context = logs.job_id.set(job_id)
    try:
        with _heartbeat(claim):
            handler(claim)
    except LeaseLost:
        logger.warning("job %s was given to another worker", job_id)
    except Exception as error:
        reason = _reason_to_wait(error)
        if reason:
            logger.error("job %s waits: %s", job_id, error)
            _queue_again(claim.job, claim.token, reason, timezone.now())
        else:
            logger.exception("job %s failed", job_id)
            put_back(claim.job.pk, claim.token, "An error on our side.", traceback.format_exc())
    finally:
        logs.job_id.reset(context)


def _reason_to_wait(error: Exception) -> str:
    """For what a job waits, without losing an attempt, because it is not to blame; empty where it may be."""
    if lacks_room(error):
        return "The store cannot be written."
    if isinstance(error, DatabaseError) and not readiness.migrations():
        return "The database is being brought up to date."
    return ""


def put_back(job_id: int, token: str, reason: str, error: str = "") -> bool:
    """Queue a running job again, or end it as failed when its attempts are used up."""
    with transaction.atomic():
        locked = Job.objects.select_for_update(no_key=True)
        job = locked.filter(pk=job_id, token=token, state=Job.State.RUNNING).first()
        if job is None:
            return False
        failed = job.attempts >= settings.JOB_MAX_ATTEMPTS
        job.state = Job.State.FAILED if failed else Job.State.QUEUED
        job.token = ""
        job.lease_until = None
        job.reason = reason[:300]
        job.error = error or job.error
        job.rung_at = timezone.now()
        job.finished_at = timezone.now() if failed else None
        job.save()
        if failed:
            record_failure(job)
    return True


def give_back(worker: str) -> int:
    """Queue again what a worker that stops has not finished; the attempt it breaks off is not counted."""
    held = Job.objects.filter(state=Job.State.RUNNING, worker=worker)
    given_back = 0
    for job in held.only("pk", "token", "kind"):
        if _queue_again(job, job.token, "The worker was stopped.", _bell_time()):
            given_back += 1
            ring(job.pk, job.kind)
    return given_back


def _queue_again(job: Job, token: str, reason: str, rung_at: datetime.datetime) -> int:
    """Queue a running job again as if this attempt had not been."""
    return Job.objects.filter(pk=job.pk, token=token, state=Job.State.RUNNING).update(
        state=Job.State.QUEUED,
        attempts=F("attempts") - 1,
        token="",
        lease_until=None,
        reason=reason,
        rung_at=rung_at,
    )


def sweep_jobs() -> dict[str, int]:
    """Give back what dead workers hold and ring again for what nobody took up."""
    now = timezone.now()
    _distrust_the_future(now)
    lapsed = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=now)
    given_back = 0
    for job in lapsed.order_by("lease_until").only("pk", "token", "kind"):
        if put_back(job.pk, job.token, "The worker stopped answering."):
            given_back += 1
            if Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).exists():
                ring(job.pk, job.kind)
    return {"given_back": given_back, "rung": sum(_ring_again(kind, now) for kind in Job.Kind)}


def _distrust_the_future(now: datetime.datetime) -> None:
    """Where the clock has jumped back, times that it gave before lie far ahead; nobody waits for those.

    A living worker renews its lease from now on; a dead one's lapses soon.
    """
    running = Job.objects.filter(state=Job.State.RUNNING, lease_until__gt=now + 2 * _lease())
    running.update(lease_until=now + _lease())
    # Named kinds let the database go straight to the last bells of each.
    queued = Job.objects.filter(state=Job.State.QUEUED, kind__in=Job.Kind.values, rung_at__gt=now + _lease())
    queued.update(rung_at=now)


def _ring_again(kind: Job.Kind, now: datetime.datetime) -> int:
    """Ring for jobs that have waited long. A bell is for the next job of its kind, so a few are enough."""
    silent = now - datetime.timedelta(seconds=settings.JOB_RING_SECONDS)
    queued = Job.objects.filter(kind=kind, state=Job.State.QUEUED).values_list("pk", flat=True)
    new = queued.filter(rung_at=UNRUNG).order_by("pk")
    old = queued.filter(rung_at__gt=UNRUNG, rung_at__lt=silent).order_by("rung_at", "pk")
    rung = 0
    for job_id in [*new[:BELLS_FOR_ATTACK_MACHINES], *old[:BELLS_A_SWEEP]]:
        if Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(rung_at=now):
            ring(job_id, kind)
            rung += 1
    return rung


def _lease() -> datetime.timedelta:
    return datetime.timedelta(seconds=settings.JOB_LEASE_SECONDS)


@contextmanager
def _heartbeat(claim: Claim) -> Iterator[None]:
    """Renew the lease from a thread of its own while the work goes on."""
    stop = threading.Event()

    def beat() -> None:
        try:
            while not stop.wait(settings.JOB_LEASE_SECONDS / 3):
                try:
                    if not claim.mine().update(lease_until=timezone.now() + _lease()):
                        return
                except DatabaseError:
                    # The database may be restarting; there is time for another beat before the lease lapses.
                    logger.warning("heartbeat of job %s failed", claim.job.pk)
                    connection.close()
        finally:
            connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat-{claim.job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=10)
