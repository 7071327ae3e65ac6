"""Making house entries."""

from __future__ import annotations

import tempfile
from pathlib import Path

from contest.jobs.queue import Claim
from contest.models import HouseOrder
from contest.play.house import hide_with
from contest.play.table import Table
from contest.services.datasets import load_original
from contest.services.house import hand_in_house_entry, seed_of
from contest.services.older_house_jobs import order_of
from games.formats.limits import upper_limits
from games.formats.methods import run_anonymizer
from games.rehearsal import generator
from scoring.rules import Limit


def make_house_entry(claim: Claim) -> None:
    related = ("commitment", "round__contest", "round__dataset", "round__game")
    order = HouseOrder.objects.select_related(*related).get(pk=order_of(claim.job))
    claim.report(10, order.method)
    if order.round.game_id is not None:
        table = Table(order.round)
        rng = generator(str(seed_of(order)), "anonymize", order.method)
        made = hide_with(table, table.spare_seat(), order.method, order.parameters, rng)
        hand_in_house_entry(claim, order, made, table.declared.slots[0], _variant(table, order))
    else:
        hand_in_house_entry(claim, order, _made_by_anonymizer(order))


def _variant(table: Table, order: HouseOrder) -> int:
    """The alternative that a method hides: that of its parameter ``variant``, otherwise the first."""
    has_several = table.declared.seats.variants > 1
    return int(order.parameters.get("variant") or 0) if has_several else 0


def _made_by_anonymizer(order: HouseOrder) -> dict[str, bytes]:
    dataset = order.round.dataset
    limits = upper_limits(Limit(**limit) for limit in order.round.limits)
    original = load_original(dataset)
    made = run_anonymizer(order.method, original, limits, seed_of(order), order.parameters)
    with tempfile.TemporaryDirectory() as folder:
        dataset.spec.write_entry(Path(folder), made.release)
        return {name: (Path(folder) / name).read_bytes() for name in dataset.spec.upload_names}
