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

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.dispatch import Signal
from django.utils import timezone
from kombu.exceptions import OperationalError

from contest import logs, schema
from contest.errors import lacks_room
from contest.jobs.job_version import RELEASE
from contest.jobs.queues import QUEUES
from contest.jobs.turns import next_in_turn
from contest.models import Attack, AttackRun, Entry, GamePackage, HouseOrder, Job
from datasets.messages import Message, Template
from games.contract.broken import BrokenGame

logger = logging.getLogger(__name__)

TASK = "contest.work.tasks.do_next"
READING_UPLOAD = Template("step.reading-upload", "reading the upload")
CHECKING_FILES = Template("step.checking-files", "checking the files")
STORING = Template("step.storing", "storing the neutral form")
READING_TABLES = Template("step.reading-tables", "reading the tables")
JUDGING = Template("step.judging", "judging")
DRAWING = Template("step.drawing", "drawing pictures")
IN_SANDBOX = Template("step.in-sandbox", "in the sandbox")

GAME_FAILED = Template("job.game-failed", "The game of this round failed; its organisers can see why.")
OUR_ERROR = Template("job.our-error", "An error on our side.")
STORE_FULL = Template("job.store-full", "The store cannot be written.")
DATABASE_BEHIND = Template("job.database-behind", "The database is being brought up to date.")
WORKER_STOPPED = Template("job.worker-stopped", "The worker was stopped.")
WORKER_SILENT = Template("job.worker-silent", "The worker stopped answering.")

OF_SOME_KINDS = ("house_order", "attack", "round", "game")
"""What only some kinds of jobs refer to."""

job_failed = Signal()
"""Sent in the transaction in which a job fails for good, with `job`."""


NOTICES_PER_SWEEP = 20
"""Notices that the sweeper repeats for each kind of job; more would only fill the broker."""
FIRST_NOTICES_PER_SWEEP = 500
"""Notices that a sweep sends for jobs of which none has been sent yet."""
NOT_NOTIFIED = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
"""Instead of a notice's time: attack machines may not put anything into queues, the next sweep does."""
CLAIM_TRIES = 100
"""How often a worker looks again when others are faster."""
HEADS_PER_LOOK = 20
"""Owners whose turn is next that a worker tries before it looks again."""


@dataclass
class Worker:
    """The name under which this process holds jobs: the machine's, in a worker with its main process' id."""

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
    house_order: HouseOrder | None = None,
    attack: Attack | None = None,
    game: GamePackage | None = None,
    owner_id: int | None = None,
    payload: dict[str, Any] | None = None,
) -> Job:
    """Write a job in the caller's transaction; a worker is notified when that is committed."""
    job = Job.objects.create(
        kind=kind,
        entry=entry,
        attack_run=attack_run,
        house_order=house_order,
        attack=attack,
        game=game,
        owner_id=owner_id,
        payload=payload or {},
        release=RELEASE,
        rung_at=_notice_time(),
    )
    transaction.on_commit(lambda: notify_worker(job.pk, kind), robust=True)
    return job


def enqueue_once(kind: Job.Kind, round_id: int) -> None:
    """Write a job about a whole round, unless one of its kind waits already.

    One that waits is held until the caller's changes are committed: a worker that took it before would not
    see them, and nobody would look again.
    """
    waiting = Job.objects.filter(kind=kind, round_id=round_id, state=Job.State.QUEUED)
    held = None
    with transaction.atomic():
        while held is None:
            job = Job(kind=kind, round_id=round_id, release=RELEASE, rung_at=_notice_time())
            Job.objects.bulk_create([job], ignore_conflicts=True)
            held = waiting.select_for_update(no_key=True).values_list("pk", flat=True).first()
    transaction.on_commit(lambda: notify_worker(0, kind), robust=True)


def notify_worker(job_id: int, kind: str) -> None:
    """Notify a worker of a job. A lost notice costs seconds: the sweeper sends it again."""
    if settings.ROLE == "attacks":
        return
    queue = settings.QUEUE_PREFIX + QUEUES[Job.Kind(kind)]
    try:
        current_app.send_task(TASK, args=[kind], queue=queue, retry=False)
    except (OperationalError, OSError):
        logger.warning("broker unreachable, job %s waits for the sweeper", job_id)


def _notice_time() -> datetime.datetime:
    """When this machine sends the notice of a job that is queued now."""
    return NOT_NOTIFIED if settings.ROLE == "attacks" else timezone.now()


@dataclass
class Claim:
    """A job in the hands of this worker, as long as the token in the row is ours."""

    job: Job
    token: str

    def mine(self) -> Any:
        return Job.objects.filter(pk=self.job.pk, token=self.token, state=Job.State.RUNNING)

    def report(self, progress: int, step: Message | str) -> None:
        """Show how far the work is; stop it where the job is no longer ours."""
        if not self.mine().update(progress=min(99, progress), step=step):
            raise LeaseLost

    @contextmanager
    def finish(self, reason: Message | str = "") -> Iterator[None]:
        """Write the outcome inside this block: it is committed with the job's end, or not at all."""
        with transaction.atomic():
            done = self.mine().update(
                state=Job.State.DONE,
                progress=100,
                step="",
                reason=reason,
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
    # Not what only some kinds need: a worker can claim before a new column of these is in the database.
    return Claim(Job.objects.defer(*OF_SOME_KINDS).get(pk=job_id), token)


def claim_next(kind: Job.Kind) -> Claim | None:
    """Take the job of a kind whose owner has waited longest for a turn.

    A notice says only that there is work. Whose it is, is decided here, one job per owner in turn, so that a
    team with a thousand jobs keeps another team's single job waiting for one of them, not for all. An owner
    whose job is just being taken by another worker has had its turn; we take the next one's.
    """
    for _ in range(CLAIM_TRIES):
        heads = next_in_turn(kind, RELEASE, HEADS_PER_LOOK)
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


def _perform(claim: Claim, handler: Callable[[Claim], None]) -> None:
    job_id = claim.job.pk
    context = logs.job_id.set(job_id)
    try:
        with _heartbeat(claim):
            handler(claim)
    except LeaseLost:
        logger.warning("job %s was given to another worker", job_id)
    except BrokenGame as error:
        # The same call would break again; what the game wrote is for the organisers alone.
        logger.warning("job %s: the game failed: %s", job_id, error.sentence)
        written = f"{error.sentence} [{error.code}]\n{error.log}"
        put_back(claim.job.pk, claim.token, GAME_FAILED(), written, for_good=True)
    except Exception as error:
        reason = _reason_to_wait(error, claim.job)
        if reason is not None:
            logger.error("job %s waits: %s", job_id, error)
            _queue_again(claim.job, claim.token, reason, timezone.now())
        else:
            logger.exception("job %s failed", job_id)
            put_back(claim.job.pk, claim.token, OUR_ERROR(), traceback.format_exc())
    finally:
        logs.job_id.reset(context)


def _reason_to_wait(error: Exception, job: Job) -> Message | None:
    """What a job waits for without losing an attempt, because it is not its fault; None where it may be."""
    if lacks_room(error):
        return STORE_FULL()
    if isinstance(error, DatabaseError) and _was_behind(job):
        return DATABASE_BEHIND()
    return None


def _was_behind(job: Job) -> bool:
    """Whether the database lacks changes, or got the last of them only while the job ran."""
    return not schema.is_up_to_date() or (job.started_at is not None and schema.changed_since(job.started_at))


def put_back(job_id: int, token: str, reason: Message, error: str = "", *, for_good: bool = False) -> bool:
    """Queue a running job again, or end it as failed when its attempts are used up."""
    with transaction.atomic():
        locked = Job.objects.select_for_update(no_key=True)
        job = locked.filter(pk=job_id, token=token, state=Job.State.RUNNING).first()
        if job is None:
            return False
        failed = for_good or job.attempts >= settings.JOB_MAX_ATTEMPTS
        job.state = Job.State.FAILED if failed else Job.State.QUEUED
        job.token = ""
        job.lease_until = None
        job.reason = reason
        job.error = error or job.error
        job.rung_at = timezone.now()
        job.finished_at = timezone.now() if failed else None
        # Only these: attack machines may change no other column.
        changed = ("state", "token", "lease_until", "reason", "error", "rung_at", "finished_at")
        job.save(update_fields=changed)
        if failed:
            job_failed.send(sender=Job, job=job)
    return True


def give_back(worker: str) -> int:
    """Queue again what a worker that stops has not finished; the attempt it breaks off is not counted."""
    held = Job.objects.filter(state=Job.State.RUNNING, worker=worker)
    given_back = 0
    for job in held.only("pk", "token", "kind"):
        if _queue_again(job, job.token, WORKER_STOPPED(), _notice_time()):
            given_back += 1
            notify_worker(job.pk, job.kind)
    return given_back


def _queue_again(job: Job, token: str, reason: Message, rung_at: datetime.datetime) -> int:
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
    """Give back what dead workers hold and send notices again for jobs that nobody took."""
    now = timezone.now()
    _distrust_the_future(now)
    lapsed = Job.objects.filter(state=Job.State.RUNNING, lease_until__lt=now)
    given_back = 0
    for job in lapsed.order_by("lease_until").only("pk", "token", "kind"):
        if put_back(job.pk, job.token, WORKER_SILENT()):
            given_back += 1
            if Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).exists():
                notify_worker(job.pk, job.kind)
    return {"given_back": given_back, "notified": sum(_notify_again(kind, now) for kind in Job.Kind)}


def _distrust_the_future(now: datetime.datetime) -> None:
    """Where the clock has jumped back, earlier times are far ahead; nobody waits for those.

    A living worker renews its lease from now on; a dead one's lapses soon.
    """
    running = Job.objects.filter(state=Job.State.RUNNING, lease_until__gt=now + 2 * _lease())
    running.update(lease_until=now + _lease())
    # Named kinds let the database go straight to the last notices of each.
    queued = Job.objects.filter(state=Job.State.QUEUED, kind__in=Job.Kind.values, rung_at__gt=now + _lease())
    queued.update(rung_at=now)


def _notify_again(kind: Job.Kind, now: datetime.datetime) -> int:
    """Notify again of jobs that have waited long. A notice is for any job of its kind, so few are enough."""
    silent = now - datetime.timedelta(seconds=settings.JOB_RING_SECONDS)
    queued = Job.objects.filter(kind=kind, state=Job.State.QUEUED).values_list("pk", flat=True)
    new = queued.filter(rung_at=NOT_NOTIFIED).order_by("pk")
    old = queued.filter(rung_at__gt=NOT_NOTIFIED, rung_at__lt=silent).order_by("rung_at", "pk")
    notified = 0
    for job_id in [*new[:FIRST_NOTICES_PER_SWEEP], *old[:NOTICES_PER_SWEEP]]:
        if Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(rung_at=now):
            notify_worker(job_id, kind)
            notified += 1
    return notified


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
