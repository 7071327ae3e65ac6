"""House orders: what was asked for, what became of it, and how the version before them asked."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import IntegrityError, transaction

from contest.archive import older
from contest.board.queries import job_counts
from contest.errors import Refused
from contest.jobs.queue import OUR_ERROR, claim_job, enqueue_job
from contest.models import AuditEvent, Commitment, Contest, Entry, HouseOrder, Job, Round, house_order
from contest.services import older_house_jobs
from contest.services.bundles import export_bundle
from contest.services.house import request_house_entry, retry_house_entry, seed_of
from contest.services.older_house_jobs import adopt_older_jobs
from contest.services.phase_clock import run_clock
from contest.work import house
from contest.work.failures import record_failure
from tests.archives import DAY
from tests.factories import make_contest, make_round, make_user, work_off

pytestmark = pytest.mark.django_db(transaction=True)

SEED = 987_654_321_012_345


@pytest.fixture
def round_() -> Round:
    return make_round(make_contest(make_user("oni"), slug="demo"))


def broken(*args: Any) -> None:
    raise RuntimeError("the method is broken")


def make_it_fail(order: HouseOrder) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house, "run_anonymizer", broken)
        assert work_off() == settings.JOB_MAX_ATTEMPTS
    order.refresh_from_db()


def test_an_order_waits_and_is_made_and_its_job_and_the_log_hold_no_seed(round_: Round) -> None:
    order = request_house_entry(round_, make_user("kappa"), "swap", {"share": 0.5}, SEED)
    assert (order.state, order.entry, str(order.requested_by)) == ("waiting", None, "kappa")
    work_off()
    order.refresh_from_db()
    entry = Entry.objects.get()
    assert (order.state, order.entry, order.seed) == ("made", entry, SEED)
    assert entry.team.name == order.team_name == "House · swap (share=0.5)"
    assert order.jobs.get().payload == {}
    assert str(SEED) not in str(list(AuditEvent.objects.values()))


def test_a_drawn_seed_is_in_the_commitment_alone(round_: Round) -> None:
    order = request_house_entry(round_, None, "swap")
    assert order.seed is None
    assert order.commitment is not None
    assert str(seed_of(order)) in order.commitment.payload
    assert str(seed_of(order)) not in str(list(HouseOrder.objects.values()))


def test_what_cannot_be_made_fails_and_is_made_when_it_is_tried_again(round_: Round) -> None:
    oni = round_.contest.organisers.get().user
    order = request_house_entry(round_, oni, "swap")
    seed = seed_of(order)
    with pytest.raises(Refused) as refused:
        retry_house_entry(order, oni)
    assert refused.value.code == "not-failed"
    make_it_fail(order)
    assert (order.state, order.reason, order.entry) == ("failed", OUR_ERROR().as_data(), None)
    assert job_counts(round_.contest) == {"failed": 1}
    retry_house_entry(order, oni)
    order.refresh_from_db()
    assert (order.state, order.reason) == ("waiting", "")
    work_off()
    order.refresh_from_db()
    assert (order.state, order.entry, seed_of(order)) == ("made", Entry.objects.get(), seed)
    verbs = AuditEvent.objects.filter(subject=f"houseorder {order.pk}").order_by("pk")
    assert list(verbs.values_list("verb", "actor__username")) == [
        ("house_entry.requested", "oni"),
        ("house_entry.failed", None),
        ("house_entry.retried", "oni"),
    ]


def test_a_late_failure_does_not_undo_what_was_made(round_: Round) -> None:
    order = request_house_entry(round_, None, "swap")
    work_off()
    record_failure(order.jobs.get())
    order.refresh_from_db()
    assert order.state == "made"


def test_entries_are_frozen_when_no_order_waits_though_one_has_failed(round_: Round) -> None:
    order = request_house_entry(round_, None, "swap")
    later = round_.phases.latest("ends_at").ends_at + DAY
    assert "freeze" not in {step.what for step in run_clock(later)}
    make_it_fail(order)
    run_clock(later)
    round_.refresh_from_db()
    assert round_.frozen_at is not None


def test_an_empty_contest_has_none_of_the_house_jobs_of_another(round_: Round) -> None:
    empty = make_round(make_contest(make_user("tengu"), slug="empty")).contest
    for _ in range(16):
        request_house_entry(round_, None, "swap")
    assert job_counts(empty) == {}
    assert job_counts(round_.contest) == {"queued": 16}


OLD: dict[str, Any] = {"method": "swap", "parameters": {"share": 0.5}}


def test_a_job_as_older_code_writes_it_is_done_and_exported(round_: Round) -> None:
    job = enqueue_job(Job.Kind.HOUSE, payload={"round": round_.pk, **OLD, "seed": SEED})
    work_off()
    job.refresh_from_db()
    order = HouseOrder.objects.get()
    assert (job.house_order, job.payload) == (order, {"round": round_.pk, **OLD})
    assert (order.state, order.entry, order.seed) == ("made", Entry.objects.get(), SEED)
    (baseline,) = export_bundle(Contest.objects.get()).bundle.rounds[0].baselines
    assert (baseline.method, baseline.parameters, baseline.seed) == ("swap", {"share": 0.5}, SEED)


def test_the_sweeper_gives_older_jobs_their_orders_and_orders_what_an_older_worker_made(
    round_: Round,
) -> None:
    secret = request_house_entry(round_, None, "swap", {"share": 0.5})
    work_off()
    job, entry = secret.jobs.get(), Entry.objects.get()
    kept = Commitment.objects.get(what="house")
    Job.objects.filter(pk=job.pk).update(
        house_order=None, payload={"round": round_.pk, **OLD, "commitment": kept.version}
    )
    secret.delete()
    waiting = enqueue_job(Job.Kind.HOUSE, payload={"round": round_.pk, **OLD, "seed": SEED})
    enqueue_job(Job.Kind.HOUSE)  # What test_old_code_can_still_write_a_job writes: nothing can be known.
    call_command("sweep", once=True)
    made, second = HouseOrder.objects.order_by("pk")
    assert (made.state, made.entry, made.commitment) == ("made", entry, kept)
    assert (second.state, second.entry, second.seed) == ("waiting", None, SEED)
    waiting.refresh_from_db()
    assert waiting.house_order == second
    assert "seed" not in waiting.payload
    assert adopt_older_jobs() == 0


def test_one_job_at_a_time_is_open_for_an_order(round_: Round) -> None:
    order = request_house_entry(round_, None, "swap")
    claim = claim_job(order.jobs.get().pk)
    assert claim is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        enqueue_job(Job.Kind.HOUSE, house_order=order)


def test_when_an_entry_belongs_to_its_job_is_declared_once() -> None:
    """Migration, archive and adoption look for the entry of an older job in the same span."""
    migration = import_module("contest.migrations.0022_house_orders")
    spans = [module.RECEIVED_WITHIN for module in (house_order, older_house_jobs, older, migration)]
    assert all(span is house_order.RECEIVED_WITHIN for span in spans)
