"""House entries as the version before orders asked for them: as the payload of a job.

While an old and a new version share the database, old web processes write such jobs, and old workers end jobs
without updating their order. When no version before 0022 can be running any more, this module can be removed.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from contest.models import Commitment, Entry, HouseOrder, Job
from contest.models.house_order import RECEIVED_WITHIN


def adopt_older_jobs() -> int:
    """Give every house job its order, and every order what an old worker made of it; returns how many."""
    jobs = Job.objects.filter(kind=Job.Kind.HOUSE).select_related("house_order").order_by("pk")
    unknown = list(jobs.filter(house_order=None, payload__has_key="round"))
    for job in unknown:
        order_of(job)
    ended = list(jobs.filter(state=Job.State.DONE, house_order__state=HouseOrder.State.WAITING))
    for job in ended:
        _settle(job)
    return len(unknown) + len(ended)


def order_of(job: Job) -> int:
    """The primary key of the order that a job is for. A job without one gets it, and its payload no seed."""
    if job.house_order_id is not None:
        return job.house_order_id
    with transaction.atomic():
        found = Job.objects.select_for_update(no_key=True).get(pk=job.pk)
        if found.house_order_id is None:
            found.house_order = _order(found)
            found.payload = {key: value for key, value in found.payload.items() if key != "seed"}
            found.save(update_fields=["house_order", "payload"])
        return int(found.house_order_id or 0)


def _order(job: Job) -> HouseOrder:
    payload: dict[str, Any] = job.payload
    secret = Commitment.objects.filter(
        round=payload["round"], what=Commitment.What.HOUSE, version=payload.get("commitment", 0)
    )
    is_failed = job.state == Job.State.FAILED
    return HouseOrder.objects.create(
        round_id=payload["round"],
        method=payload["method"],
        parameters=payload["parameters"],
        seed=payload.get("seed"),
        commitment=None if "seed" in payload else secret.first(),
        requested_at=job.created_at,
        state=HouseOrder.State.FAILED if is_failed else HouseOrder.State.WAITING,
        reason=job.reason if is_failed else "",
    )


def _settle(job: Job) -> None:
    """The entry of a job that an old worker has done was received when the job ended."""
    order = job.house_order
    if order is None or job.finished_at is None:
        return
    made = Entry.objects.filter(
        round=order.round_id, method=order.method, team__name=order.team_name, house_order=None
    )
    span = (job.finished_at, job.finished_at + RECEIVED_WITHIN)
    entry = made.filter(received_at__range=span).order_by("received_at", "pk").first()
    HouseOrder.objects.filter(pk=order.pk, state=HouseOrder.State.WAITING).update(
        state=HouseOrder.State.MADE, entry=entry
    )
