"""Celery tasks that make house entries."""

from __future__ import annotations

from celery import shared_task

from anonymizers.registry import run_anonymizer
from contest.models import Job, Round
from contest.services.datasets import load_original
from contest.services.house import hand_in_house_entry, seed_of
from contest.services.jobs import Claim, perform_next


@shared_task(name="anonymizers.tasks.make_house_entry")
def make_house_entry(job_id: int) -> None:
    perform_next(Job.Kind.HOUSE, _make)


def _make(claim: Claim) -> None:
    payload = claim.job.payload
    round_ = Round.objects.select_related("contest", "dataset").get(pk=payload["round"])
    original = load_original(round_.dataset)
    claim.report(10, payload["method"])
    limits = {limit["measure"]: limit["limit"] for limit in round_.limits}
    made = run_anonymizer(payload["method"], original, limits, seed_of(claim.job), payload["parameters"])
    hand_in_house_entry(claim, round_, made.release)
