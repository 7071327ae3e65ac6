"""Making house entries."""

from __future__ import annotations

from anonymizers.registry import run_anonymizer
from contest.jobs.queue import Claim
from contest.models import HouseOrder
from contest.services.datasets import load_original
from contest.services.house import hand_in_house_entry, seed_of
from contest.services.older_house_jobs import order_of


def make_house_entry(claim: Claim) -> None:
    related = ("commitment", "round__contest", "round__dataset")
    order = HouseOrder.objects.select_related(*related).get(pk=order_of(claim.job))
    original = load_original(order.round.dataset)
    claim.report(10, order.method)
    limits = {limit["measure"]: limit["limit"] for limit in order.round.limits}
    made = run_anonymizer(order.method, original, limits, seed_of(order), order.parameters)
    hand_in_house_entry(claim, order, made.release)
