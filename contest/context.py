"""What every template may use."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from contest.models import Membership, Notification


def site(request: HttpRequest) -> dict[str, Any]:
    """What every page shows: version, address and the visitor's own teams, looked up only where used."""

    def teams() -> list[Any]:
        if not request.user.is_authenticated:
            return []
        rows = Membership.objects.filter(user=request.user).select_related("team", "contest").order_by("-id")
        return [row.team for row in rows]

    def unread() -> int:
        if not request.user.is_authenticated:
            return 0
        return Notification.objects.filter(user=request.user, read_at=None).count()

    return {
        "n_notices": SimpleLazyObject(unread),
        "site_version": settings.VERSION,
        "site_url": settings.SITE_URL.rstrip("/"),
        "my_teams": SimpleLazyObject(teams),
    }
