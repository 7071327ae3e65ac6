"""Notices to people: written with the event that they are about, shown in the pages, sent by the outbox."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count
from django.utils import timezone

from contest.models import (
    Contest,
    Entry,
    Mail,
    Notification,
    NotificationChoice,
    Round,
    Team,
    User,
)
from contest.outside.outbox import queue_mail

KEPT = 200
"""How many notices of one person are stored; older ones are dropped."""
KEPT_FOR = datetime.timedelta(days=90)


@dataclass(frozen=True)
class Notice:
    """What people are told of: its kind, where it belongs, and the values that its words are made of."""

    kind: Notification.Kind
    contest: Contest
    round_: Round | None = None
    entry: Entry | None = None
    facts: dict[str, Any] = field(default_factory=dict)


def members_of(teams: Iterable[Team]) -> list[User]:
    """The people of some teams who still have accounts; of removed teams nobody."""
    playing = [team.pk for team in teams if not team.is_house and team.status != Team.Status.REMOVED]
    if not playing:
        return []
    people = User.objects.filter(memberships__team__in=playing, is_active=True)
    return list(people.distinct().order_by("pk"))


def who_want(kind: str, channel: str, people: Sequence[User]) -> list[User]:
    """Those who get a kind of notice by a channel: by their choice, or by default."""
    chosen = _choices(kind, people)
    default = NotificationChoice.default(kind, channel)
    return [person for person in people if chosen.get(person.pk, {}).get(channel, default)]


def _choices(kind: str, people: Sequence[User]) -> dict[int, dict[str, bool]]:
    rows = NotificationChoice.objects.filter(kind=kind, user__in=people)
    return {row.user_id: {name: getattr(row, name) for name in row.CHANNELS} for row in rows}


def notify(notice: Notice, people: Sequence[User], *, by_mail: bool = True) -> int:
    """Write a notice to some people, each by the channels that they chose. Call it inside the transaction of
    the event; returns how many people see it in the pages."""
    if not people:
        return 0
    chosen = _choices(notice.kind, people)

    def wants(person: User, channel: str) -> bool:
        default = NotificationChoice.default(notice.kind, channel)
        return chosen.get(person.pk, {}).get(channel, default)

    now = timezone.now()
    made = Notification.objects.bulk_create(
        Notification(
            user=person,
            contest=notice.contest,
            round=notice.round_,
            entry=notice.entry,
            kind=notice.kind,
            facts=notice.facts,
            created_at=now,
        )
        for person in people
        if wants(person, "page")
    )
    if by_mail:
        for person in people:
            if person.email and wants(person, "mail"):
                queue_mail(Mail.Kind(notice.kind), person, facts=_mail_facts(notice, person))
    return len(made)


def tell_judged(entry: Entry, state: str) -> None:
    """Tell a team that an entry of its own has its verdict. What attacks find is not part of that."""
    facts = {"number": entry.number, "state": str(state)}
    notice = Notice(Notification.Kind.SCORED, entry.round.contest, entry.round, entry, facts)
    notify(notice, members_of([entry.team]))


def _mail_facts(notice: Notice, person: User) -> dict[str, Any]:
    facts = {"name": person.username, "contest": notice.contest.title, "slug": notice.contest.slug}
    if notice.round_ is not None:
        facts |= {"round": notice.round_.name, "round_slug": notice.round_.slug}
    return facts | notice.facts


def forget_old_notices(now: datetime.datetime | None = None) -> int:
    """Drop what nobody reads any more: old notices, and all but the newest of each person."""
    now = now or timezone.now()
    dropped, _each = Notification.objects.filter(created_at__lt=now - KEPT_FOR).delete()
    for user_id in _with_too_many():
        mine = Notification.objects.filter(user=user_id)
        newest = list(mine.order_by("-pk").values_list("pk", flat=True)[:KEPT])
        count, _each = mine.filter(pk__lt=newest[-1]).delete()
        dropped += count
    return dropped


def _with_too_many() -> list[int]:
    counted = Notification.objects.order_by().values("user").annotate(n=Count("pk")).filter(n__gt=KEPT)
    return [row["user"] for row in counted]
