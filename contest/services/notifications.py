"""What people do with their notices: mark them as read, and choose which they get."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from contest.models import Notification, NotificationChoice, User
from contest.records import audit
from contest.records.locks import lock_person


def mark_read(notices: QuerySet[Notification]) -> int:
    """Mark a person's own notices as read; returns how many were not."""
    unread = notices.filter(read_at=None).order_by().values("pk")
    return Notification.objects.filter(pk__in=unread).update(read_at=timezone.now())


def choose_notices(user: User, wanted: Mapping[str, Mapping[str, bool]]) -> None:
    """Choose for every kind of notice by which channels one gets it."""
    with transaction.atomic():
        lock_person(user.pk)
        for kind in Notification.Kind.values:
            channels = {name: bool(wanted[kind][name]) for name in NotificationChoice.CHANNELS}
            NotificationChoice.objects.update_or_create(user=user, kind=kind, defaults=channels)
        audit.record("user.notices_chosen", user, contest=None, actor=user)
