"""Who runs contests, and who may create one."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404

from contest.access.viewers import Viewer
from contest.models import Contest, Organiser


def is_organiser(user: Viewer, contest: Contest) -> bool:
    return user.is_authenticated and Organiser.objects.filter(contest=contest, user=user).exists()


def may_create_contests(user: Viewer) -> bool:
    """Who may create a contest: those whom the site has named, or everybody if the installation says so."""
    return user.is_authenticated and (user.is_staff or settings.EVERYBODY_ORGANISES)


def require_may_create(user: Viewer) -> None:
    if not may_create_contests(user):
        raise Http404


def require_staff(user: Viewer) -> None:
    """The site's own pages are for its staff, no matter who else may create contests."""
    if not (user.is_authenticated and user.is_staff):
        raise Http404
