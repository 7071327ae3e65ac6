"""What every view of a signed-in person is given."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django_htmx.middleware import HtmxDetails

from contest.models import Contest, User


class PageRequest(HttpRequest):
    """A request with the attributes that our middleware adds; for type checkers only."""

    htmx: HtmxDetails


def asked_track(request: HttpRequest, contest: Contest) -> str:
    """The track whose board is asked for as a file, or none; there is no board of another one."""
    track = request.GET.get("track", "")
    if track and track not in {it.name for it in contest.declared_tracks}:
        raise Http404
    return track


class UserRequest(PageRequest):
    """A request behind `login_required`."""

    user: User
