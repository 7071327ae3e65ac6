"""News of a contest for the addresses that organisers and teams gave: signed, and tried again for a while."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import json
import secrets
import time
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.jobs.queue import enqueue_job
from contest.models import (
    AuditEvent,
    Contest,
    Delivery,
    Entry,
    Job,
    Membership,
    NotificationChoice,
    Organiser,
    Team,
    User,
    Webhook,
)
from contest.outside import safe_http
from contest.outside.event_feed import Event, feed
from contest.outside.team_events import EVENT_OF, team_events
from contest.records import audit

MAX_WEBHOOKS = 5
"""Addresses of one team, or of the organisers of one contest."""
PAUSES = (1, 5, 30, 120, 600)
"""Minutes until the next try; after the last one a delivery is given up."""
MAX_FAILURES = 10
"""Deliveries given up in a row after which an address gets no more."""
DELIVERIES_A_SWEEP = 50
"""Deliveries that a sweep hands to workers; the others wait for the next one."""
PREFIX = "kkw_"


def create_webhook(contest: Contest, user: User, url: str, team: Team | None = None) -> tuple[Webhook, str]:
    """Register an address. Returns its signing secret too, which is shown once."""
    try:
        safe_http.read_address(url)
    except safe_http.Unreachable as error:
        raise Refused("bad-address", str(error)) from None
    audit.extend_chain(contest.pk)
    with transaction.atomic():
        Contest.objects.select_for_update(no_key=True).get(pk=contest.pk)
        if Webhook.objects.filter(contest=contest, team=team, ended_at=None).count() >= MAX_WEBHOOKS:
            raise Refused(
                "too-many-webhooks",
                _("There are %(most)s addresses already; end one first.") % {"most": MAX_WEBHOOKS},
            )
        newest = _newest_event(contest)
        webhook = Webhook.objects.create(
            contest=contest,
            team=team,
            url=url,
            salt=secrets.token_hex(16),
            created_by=user,
            since=newest,
            after=newest,
        )
        audit.record("webhook.created", webhook, contest=contest, actor=user, after={"host": _host(url)})
    return webhook, secret_of(webhook)


def end_webhook(webhook: Webhook, user: User | None, reason: str = "") -> None:
    with transaction.atomic():
        ended = Webhook.objects.filter(pk=webhook.pk, ended_at=None).update(
            ended_at=timezone.now(), ended_because=reason[:200]
        )
        if ended:
            audit.record("webhook.ended", webhook, contest=webhook.contest, actor=user, reason=reason[:300])


def secret_of(webhook: Webhook) -> str:
    return PREFIX + salted_hmac("contest.webhook", webhook.salt, algorithm="sha256").hexdigest()


def signature(secret: str, moment: int, body: bytes) -> str:
    """What the receiver computes too: HMAC-SHA256 of time, a dot and the body, with the secret as the key."""
    digest = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


def queue_deliveries() -> int:
    """Record what is new for every address, and notify workers of what is due. Called by the sweeper."""
    audit.extend_all_chains()
    for webhook in Webhook.objects.filter(ended_at=None).select_related("contest", "team"):
        if _is_of_former(webhook):
            end_webhook(webhook, None, "The person who gave this address has left.")
        else:
            _look_for_news(webhook)
    now = timezone.now()
    due = Delivery.objects.filter(state=Delivery.State.WAITING, next_try_at__lte=now)
    notified = 0
    for delivery in due.filter(webhook__ended_at=None).order_by("next_try_at")[:DELIVERIES_A_SWEEP]:
        pause = datetime.timedelta(minutes=PAUSES[min(delivery.tries, len(PAUSES) - 1)])
        with transaction.atomic():
            mine = Delivery.objects.filter(pk=delivery.pk, next_try_at=delivery.next_try_at)
            if mine.update(next_try_at=now + pause):
                enqueue_job(Job.Kind.WEBHOOK, payload={"delivery": delivery.pk})
                notified += 1
    return notified


def _is_of_former(webhook: Webhook) -> bool:
    """Whether the person who gave an address left the team or the organisers, whose news they are."""
    person = webhook.created_by_id
    if webhook.team_id is None:
        return not Organiser.objects.filter(contest=webhook.contest_id, user=person).exists()
    return not Membership.objects.filter(team=webhook.team_id, user=person).exists()


def _look_for_news(webhook: Webhook) -> None:
    newest = _newest_event(webhook.contest)
    if newest <= webhook.after:
        return
    news = feed(webhook.contest, webhook.after)
    until = news.after if news.more else newest
    events = news.events + (_own_events(webhook, until) if webhook.team_id else [])
    unwanted = _unwanted(webhook)
    with transaction.atomic():
        if not Webhook.objects.filter(pk=webhook.pk, after=webhook.after).update(after=until):
            return  # Another sweeper was faster.
        now = timezone.now()
        Delivery.objects.bulk_create(
            (
                Delivery(webhook=webhook, event=event.id, kind=event.kind, body=_body(event), next_try_at=now)
                for event in sorted(events, key=lambda event: event.id)
                if event.kind not in unwanted
            ),
            ignore_conflicts=True,
        )


def _newest_event(contest: Contest) -> int:
    return AuditEvent.objects.filter(contest=contest).aggregate(last=Max("number"))["last"] or 0


def _own_events(webhook: Webhook, until: int) -> list[Event]:
    """What nobody but a team is told of: verdicts on its entries, answers, reminders and lost places."""
    return _verdicts(webhook, until) + team_events(webhook, until)


def _unwanted(webhook: Webhook) -> set[str]:
    """The kinds of events that the person who gave an address does not want there."""
    refused = NotificationChoice.objects.filter(user=webhook.created_by_id, webhook=False)
    return {EVENT_OF[kind] for kind in refused.values_list("kind", flat=True)}


def _verdicts(webhook: Webhook, until: int) -> list[Event]:
    verdicts = AuditEvent.objects.filter(contest=webhook.contest, verb="entry.state")
    rows = verdicts.filter(number__gt=webhook.after, number__lte=until)
    mine = {
        f"entry {entry.pk}": entry
        for entry in Entry.objects.filter(team=webhook.team_id).select_related("round")
    }
    return [
        Event(row.number or 0, row.at, "own-entry", entry.round.slug,
              {"entry_id": entry.pk, "number": entry.number, "state": row.after["state"]})
        for row in rows.order_by("number")
        if (entry := mine.get(row.subject)) and row.after.get("state") in Entry.FINAL
    ]  # fmt: skip


def _body(event: Event) -> str:
    facts = {"id": event.id, "at": event.at.isoformat(), "kind": event.kind, "round": event.round}
    return json.dumps({**facts, "facts": event.facts}, sort_keys=True, ensure_ascii=False)


def deliver(delivery_id: int) -> None:
    """Try to deliver once, and record the outcome."""
    found = Delivery.objects.select_related("webhook__contest").filter(
        pk=delivery_id, state=Delivery.State.WAITING, webhook__ended_at=None
    )
    delivery = found.first()
    if delivery is None or _is_of_former(delivery.webhook):
        return
    body = delivery.body.encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Kakurenbo",
        "Kakurenbo-Event": delivery.kind,
        "Kakurenbo-Delivery": str(delivery.pk),
        "Kakurenbo-Signature": signature(secret_of(delivery.webhook), int(time.time()), body),
    }
    status, reason = None, ""
    try:
        status = safe_http.post(delivery.webhook.url, body, headers)
    except safe_http.Unreachable as error:
        reason = str(error)
    _record(delivery, status, reason)


def _record(delivery: Delivery, status: int | None, reason: str) -> None:
    done = status is not None and 200 <= status < 300
    given_up = not done and delivery.tries + 1 > len(PAUSES)
    ended = done or given_up
    changes: dict[str, Any] = {"tries": F("tries") + 1, "status": status, "reason": reason[:200]}
    if ended:
        changes["state"] = Delivery.State.DONE if done else Delivery.State.FAILED
        changes["finished_at"] = timezone.now()
    with transaction.atomic():
        Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING).update(**changes)
        webhooks = Webhook.objects.filter(pk=delivery.webhook_id)
        if done:
            webhooks.update(failures=0)
        elif given_up:
            webhooks.update(failures=F("failures") + 1)
    webhook = webhooks.select_related("contest").get()
    if webhook.failures >= MAX_FAILURES:
        end_webhook(webhook, None, "Nothing could be delivered for a long time.")


def _host(url: str) -> str:
    return safe_http.read_address(url).host
