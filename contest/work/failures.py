"""What happens to the object of a job when the job has failed for good."""

from __future__ import annotations

from django.utils import timezone

from contest.models import AttackRun, Entry, HouseOrder, Job
from contest.outside.notices import tell_judged
from contest.records import audit
from contest.services.answers import fail_answer
from contest.services.attacks import settle_entry
from contest.services.board_versions import bump_board
from contest.services.game_packages import fail_package
from contest.services.game_rounds import fail_build
from contest.services.team_orders import fail_order
from contest.services.trials import fail_trial
from datasets.messages import english


def record_failure(job: Job, **_facts: object) -> None:
    """Bring the object of the job to its final state; our fault costs a team nothing."""
    if job.entry_id is not None:
        _fail_entry(job, job.entry_id)
    if job.attack_run_id is not None:
        _fail_attack_run(job, job.attack_run_id)
    if job.house_order_id is not None:
        _fail_house_order(job, job.house_order_id)
    if job.attack_id is not None:
        fail_answer(job.attack_id)
    if job.kind == Job.Kind.BUILD and job.round_id is not None:
        fail_build(job.round_id, job.reason, job.error)
    if job.kind == Job.Kind.TRIAL:
        fail_trial(job.payload["trial"], job.reason, job.error)
    if job.kind == Job.Kind.ORDER:
        fail_order(job.pk, job.reason)
    if job.game_id is not None:
        fail_package(job.game_id, job.error)


def _fail_entry(job: Job, entry_id: int) -> None:
    locked = Entry.objects.select_for_update(no_key=True, of=("self",))
    entry = locked.select_related("round__contest", "team").get(pk=entry_id)
    if entry.is_final:
        return
    before = entry.state
    entry.state = Entry.State.FAILED
    entry.costs_attempt = False
    entry.finished_at = timezone.now()
    entry.save(update_fields=["state", "costs_attempt", "finished_at"])
    audit.record(
        "entry.failed",
        entry,
        contest=entry.round.contest,
        before={"state": before},
        after={"state": entry.state},
        reason=f"job {job.pk}: {english(job.reason)}",
    )
    tell_judged(entry, entry.state)
    bump_board(entry.round_id, is_seen=False)


def _fail_attack_run(job: Job, run_id: int) -> None:
    hidden = ("found_rows", "evidence_sha256", "entry__upload_sha256")
    run = AttackRun.objects.select_related("entry__round__contest").defer(*hidden).get(pk=run_id)
    if run.state in AttackRun.FINAL:
        return
    AttackRun.objects.filter(pk=run.pk).update(
        state=AttackRun.State.FAILED, reason=job.reason, finished_at=timezone.now()
    )
    audit.record(
        "attack_run.failed",
        run,
        contest=run.entry.round.contest,
        before={"state": run.state},
        after={"state": AttackRun.State.FAILED},
        reason=f"job {job.pk}: {english(job.reason)}",
    )
    settle_entry(run.entry_id)


def _fail_house_order(job: Job, order_id: int) -> None:
    order = HouseOrder.objects.select_related("round__contest").get(pk=order_id)
    failed = HouseOrder.objects.filter(pk=order_id, state=HouseOrder.State.WAITING)
    if not failed.update(state=HouseOrder.State.FAILED, reason=job.reason):
        return
    audit.record(
        "house_entry.failed",
        order,
        contest=order.round.contest,
        before={"state": order.state},
        after={"state": HouseOrder.State.FAILED},
        reason=f"job {job.pk}: {english(job.reason)}",
    )
