"""For whom somebody may register addresses, and which are theirs."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from contest.access.contests import contest_for
from contest.access.organisers import is_organiser
from contest.access.teams import own_team_for
from contest.access.viewers import Viewer
from contest.models import Contest, Team, Webhook


def webhook_owner(user: Viewer, contest_slug: str) -> tuple[Contest, Team | None]:
    """For whom somebody may register addresses: the organisers, else the person's own team."""
    contest = contest_for(user, contest_slug)
    return (contest, None) if is_organiser(user, contest) else (contest, own_team_for(user, contest))


def webhooks_for(user: Viewer, contest_slug: str) -> QuerySet[Webhook]:
    contest, team = webhook_owner(user, contest_slug)
    return Webhook.objects.filter(contest=contest, team=team).select_related("contest")


def webhook_for(user: Viewer, contest_slug: str, webhook_id: int) -> Webhook:
    return get_object_or_404(webhooks_for(user, contest_slug), pk=webhook_id)
