"""The audit log: every action is recorded in its transaction, then chained, so that no change goes unseen.

A row is chained right after its transaction is committed, in a transaction of its own that holds nothing but
the chain's end. Holding that during the action would let two actions with locks of their own wait for each
other. Nobody waits for the chain either: if its end is taken, the row is left to the next action or the
sweeper, as after a crash. Verifying a chain extends it first.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from contest.models import AuditChain, AuditEvent, Contest, User
from contest.records.verify import HASHED, audit_hash

BATCH = 1000


def record(
    verb: str,
    subject: models.Model,
    *,
    contest: Contest | None,
    actor: User | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
) -> AuditEvent:
    """Record an action. Call it inside the transaction of the action."""
    event = AuditEvent.objects.create(
        contest=contest,
        at=timezone.now(),
        actor=actor,
        actor_name=actor.username if actor else "",
        verb=verb,
        subject=f"{subject._meta.model_name} {subject.pk}",
        subject_id=subject.pk,
        before=before or {},
        after=after or {},
        reason=reason,
    )
    contest_id = event.contest_id
    if settings.ROLE != "attacks":
        # Attack machines may add to the log but change nothing in it: the sweeper chains what they write.
        transaction.on_commit(lambda: extend_chain(contest_id, wait=False), robust=True)
    return event


def extend_chain(contest_id: int | None, *, wait: bool = True) -> int:
    """Chain the rows that are not chained yet, in their order; returns how many."""
    waiting = AuditEvent.objects.filter(contest=contest_id, number=None).order_by("pk")
    if wait and not waiting.exists():
        return 0
    with transaction.atomic():
        end = _taken_end(contest_id or AuditChain.SITE, wait)
        if end is None:
            return 0
        events = list(waiting.select_related(None)[:BATCH])
        for event in events:
            end.number += 1
            event.number = end.number
            event.hash = end.hash = audit_hash(end.hash, content_of(event))
            AuditEvent.objects.filter(pk=event.pk, number=None).update(number=event.number, hash=event.hash)
        AuditChain.objects.filter(pk=end.pk).update(number=end.number, hash=end.hash)
    return len(events) + (extend_chain(contest_id, wait=wait) if len(events) == BATCH else 0)


def _taken_end(key: int, wait: bool) -> AuditChain | None:
    """The end of a chain, locked until the transaction is over; None if another has it and we do not wait."""
    ends = AuditChain.objects.filter(contest_key=key)
    end = ends.select_for_update(skip_locked=not wait).first()
    if end is None and AuditChain.objects.get_or_create(contest_key=key)[1]:
        end = ends.select_for_update().get()
    return end


def extend_all_chains() -> int:
    """Chain what crashes have left unchained, in all contests."""
    waiting = AuditEvent.objects.filter(number=None).order_by().values_list("contest", flat=True).distinct()
    return sum(extend_chain(contest_id) for contest_id in list(waiting))


def content_of(event: AuditEvent) -> dict[str, Any]:
    """What the hash of a row covers, as the archive writes it."""
    content = {name: getattr(event, name) for name in HASHED}
    return content | {"at": event.at.astimezone(datetime.UTC).isoformat()}


def verify_chain(contest_id: int | None) -> tuple[int, str]:
    """How many rows of a chain are intact, and what is wrong with the next one, or nothing."""
    end = AuditChain.objects.filter(contest_key=contest_id or AuditChain.SITE).first()
    number, last = 0, ""
    for event in _chained(contest_id):
        if event.number != number + 1:
            return number, f"row {number + 1} of the chain is missing; row {event.number} follows"
        if audit_hash(last, content_of(event)) != event.hash:
            return number, f"row {event.number} ({event.verb} {event.subject}, {event.at:%F %T}) was changed"
        number, last = event.number, event.hash
    if end is not None and (end.number, end.hash) != (number, last):
        return number, f"the chain ends with row {number}, but row {end.number} was written"
    if end is None and number:
        return number, "the record of the chain's end is missing"
    return number, ""


def _chained(contest_id: int | None) -> Iterator[AuditEvent]:
    events = AuditEvent.objects.filter(contest=contest_id, number__isnull=False)
    return events.order_by("number").iterator(chunk_size=2000)
