"""A person's own notices: nobody else sees them, and none is shown of a contest that they may not see."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from contest.models import Notification, User


def notifications_for(user: User) -> QuerySet[Notification]:
    """Somebody's own notices, newest first."""
    seen = Q(contest__is_public=True) | Q(contest__organisers__user=user)
    found = Notification.objects.filter(seen, user=user).distinct()
    return found.select_related("contest", "round", "entry").order_by("-pk")


def notification_for(user: User, notification_id: int) -> Notification:
    return get_object_or_404(notifications_for(user), pk=notification_id)
