"""Who is asking, and which object they name: the basic questions that all other modules ask."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from contest.models import User
from contest.numbers import whole_number

Viewer = User | AnonymousUser


def number_or_404(text: str) -> int:
    """The number of a row as a form or an address names it; anything but a number names nothing."""
    number = whole_number(text)
    if number is None:
        raise Http404
    return number
