"""The feed of events: a poller that asks after what it knows misses nothing, in whatever order acts end."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection, transaction

from contest.models import AuditEvent, Contest, Delivery, Webhook
from contest.outside import event_feed as feeds
from contest.outside import webhooks
from contest.records.audit import extend_all_chains
from contest.services.contests import announce
from tests.factories import make_contest, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def contest() -> Contest:
    return make_contest(make_user("oni"))


def publish(contest: Contest, title: str) -> None:
    announce(contest, contest.organisers.get().user, title, "")


def told(contest: Contest, after: int) -> tuple[list[str], int]:
    news = feeds.feed(contest, after)
    return [event.facts["title"] for event in news.events], news.after


def test_an_event_with_a_lower_key_that_is_committed_later_is_not_missed(contest: Contest) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("only on PostgreSQL: SQLite lets one writer in at a time, so keys follow the commits")
    written, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        try:
            with transaction.atomic():
                publish(contest, "begun first")
                written.set()
                assert go_on.wait(60)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(slow)
        assert written.wait(60)
        publish(contest, "begun second")
        seen, after = told(contest, 0)
        go_on.set()
        done.result(60)
    assert seen == ["begun second"]
    keys = AuditEvent.objects.filter(verb="announcement.published").order_by("number")
    assert [row.pk for row in keys] == sorted((row.pk for row in keys), reverse=True)
    assert told(contest, after) == (["begun first"], after + 1)
    assert told(contest, after + 1) == ([], after + 1)


def test_many_writers_and_a_poller(contest: Contest) -> None:
    """Sixty acts by six people, while somebody asks again and again after what he knows."""
    people, acts = 6, 10
    over = threading.Event()

    def write(person: int) -> None:
        try:
            for act in range(acts):
                publish(contest, f"{person}.{act}")
        finally:
            connection.close()

    def poll() -> list[str]:
        seen: list[str] = []
        after = 0
        try:
            while True:
                last = over.is_set()
                news, after = told(contest, after)
                seen += news
                if last:
                    return seen
        finally:
            connection.close()

    with ThreadPoolExecutor(people + 1) as pool:
        polled = pool.submit(poll)
        list(pool.map(write, range(people)))
        extend_all_chains()
        over.set()
        seen = polled.result(60)
    assert sorted(seen) == sorted(f"{person}.{act}" for person in range(people) for act in range(acts))


def test_addresses_of_before_go_on_where_they_were(contest: Contest) -> None:
    """The migration from primary keys to numbers: what was delivered is not sent again, the rest is."""
    organiser = contest.organisers.get().user
    webhook, _secret = webhooks.create_webhook(contest, organiser, "https://example.org/")
    for title in ("one", "two", "three"):
        publish(contest, title)
    webhooks.queue_deliveries()
    before = list(Delivery.objects.order_by("event").values_list("event", flat=True))
    webhook.refresh_from_db()
    since, after = webhook.since, webhook.after
    migration = import_module("contest.migrations.0011_events_by_number")
    registry = SimpleNamespace(get_model=apps.get_model)
    migration.by_key(registry, None)
    keys = AuditEvent.objects.filter(verb="announcement.published").order_by("pk")
    assert list(Delivery.objects.order_by("event").values_list("event", flat=True)) == [
        row.pk for row in keys
    ]
    migration.by_number(registry, None)
    webhook.refresh_from_db()
    assert (webhook.since, webhook.after) == (since, after)
    publish(contest, "four")
    webhooks.queue_deliveries()
    events = list(Delivery.objects.order_by("event").values_list("event", flat=True))
    assert events == [*before, AuditEvent.objects.latest("pk").number]
    assert Webhook.objects.get().after == events[-1]
