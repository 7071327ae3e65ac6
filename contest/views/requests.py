"""What every view of a signed-in person is given."""

from __future__ import annotations

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from contest.models import User


class PageRequest(HttpRequest):
    """A request with the attributes that our middleware adds; for type checkers only."""

    htmx: HtmxDetails


class UserRequest(PageRequest):
    """A request behind `login_required`."""

    user: User
