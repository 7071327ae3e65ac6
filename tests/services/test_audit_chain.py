"""The audit log is a chain: writers do not disturb each other, and whoever changes a row is found out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import QuerySet

from contest.models import AuditChain, AuditEvent, Contest
from contest.records import audit
from contest.services.contests import announce
from tests.factories import make_contest, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def contest() -> Contest:
    contest = make_contest()
    user = contest.organisers.get().user
    for number in range(5):
        announce(contest, user, f"News {number}", "")
    return contest


def test_every_act_is_chained_as_soon_as_it_is_committed(contest: Contest) -> None:
    numbers = AuditEvent.objects.filter(contest=contest).order_by("pk").values_list("number", flat=True)
    assert list(numbers) == [1, 2, 3, 4, 5, 6]
    assert audit.verify_chain(contest.pk) == (6, "")
    assert AuditChain.objects.get(contest_key=contest.pk).number == 6


def test_an_act_that_is_rolled_back_leaves_no_gap(contest: Contest) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        announce(contest, contest.organisers.get().user, "Never", "")
        raise RuntimeError
    announce(contest, contest.organisers.get().user, "After", "")
    assert audit.verify_chain(contest.pk) == (7, "")


def test_numbers_survive_the_way_through_the_database(contest: Contest) -> None:
    """PostgreSQL gives 1e20 back as a whole number and 1e-7 with all its digits."""
    facts = {
        "large": 1e20,
        "small": 1e-7,
        "third": 1 / 3,
        "none": None,
        "text": "隠れん坊 \u2028",
        "list": [1.0, 2],
    }
    audit.record("test.numbers", contest, contest=contest, after=facts)
    assert audit.verify_chain(contest.pk) == (7, "")


def test_writers_at_once_make_one_chain_without_gap(contest: Contest) -> None:
    user = contest.organisers.get().user
    ready = threading.Barrier(8)

    def write(writer: int) -> None:
        try:
            ready.wait(60)
            for number in range(10):
                announce(contest, user, f"{writer}.{number}", "")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    audit.extend_chain(contest.pk)
    assert audit.verify_chain(contest.pk) == (86, "")
    numbers = AuditEvent.objects.filter(contest=contest).order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, 87))


def test_what_a_crash_left_unchained_is_chained_by_the_sweeper(contest: Contest) -> None:
    AuditEvent.objects.bulk_create(
        AuditEvent(contest=contest, verb="test.lost", subject=f"contest {contest.pk}") for _ in range(3)
    )
    call_command("sweep", once=True)
    assert audit.verify_chain(contest.pk) == (9, "")


def _row(contest: Contest, number: int) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(contest=contest, number=number)


def _exchange(contest: Contest) -> None:
    third, fourth = (_row(contest, number).get() for number in (3, 4))
    _row(contest, 3).update(after=fourth.after)
    _row(contest, 4).update(after=third.after)


TAMPERINGS: dict[str, tuple[Callable[[Contest], object], int, str]] = {
    "a reason": (lambda it: _row(it, 3).update(reason="Nothing to see."), 2, "row 3"),
    "a fact": (lambda it: _row(it, 3).update(after={"title": "Other"}), 2, "row 3"),
    "who": (lambda it: _row(it, 3).update(actor_name="somebody else"), 2, "row 3"),
    "a row taken out": (lambda it: _row(it, 4).delete(), 3, "row 4 of the chain is missing; row 5 follows"),
    "the last row taken out": (lambda it: _row(it, 6).delete(), 5, "ends with row 5, but row 6 was written"),
    "two rows exchanged": (_exchange, 2, "row 3"),
    "the end forgotten": (
        lambda it: AuditChain.objects.filter(contest_key=it.pk).delete(),
        6,
        "the record of the chain's end is missing",
    ),
}


@pytest.mark.parametrize("what", TAMPERINGS)
def test_tampering_is_found_at_its_first_row(contest: Contest, what: str) -> None:
    tamper, sound, said = TAMPERINGS[what]
    tamper(contest)
    number, problem = audit.verify_chain(contest.pk)
    assert number == sound
    assert said in problem
    with pytest.raises(CommandError, match="1 of 1 logs are broken"):
        call_command("audit_verify", contest.slug)


def test_the_logs_of_two_contests_and_of_the_site_are_chains_of_their_own(contest: Contest) -> None:
    other = make_contest(make_user())
    audit.record("test.site", other, contest=None)
    assert audit.verify_chain(other.pk) == (1, "")
    assert audit.verify_chain(None)[1] == ""
    call_command("audit_verify")
