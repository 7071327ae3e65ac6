"""Who may see what the house made for a team: its members alone, because the seed gives the truth away."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from contest.access.entries import owns_entry
from contest.access.rounds import round_for
from contest.access.teams import own_team_for
from contest.access.viewers import Viewer
from contest.models import Entry, Round, TeamOrder


def orders_for(user: Viewer, round_: Round) -> QuerySet[TeamOrder]:
    """What somebody's own team has asked for in a round, newest first."""
    team = own_team_for(user, round_.contest)
    found = TeamOrder.objects.filter(round=round_, team=team)
    return found.select_related("team", "round__contest", "entry", "attack", "job").order_by("-pk")


def order_for(user: Viewer, contest_slug: str, round_slug: str, order_id: int) -> TeamOrder:
    round_ = round_for(user, contest_slug, round_slug)
    order = get_object_or_404(orders_for(user, round_), pk=order_id)
    order.round = round_
    return order


def order_behind(user: Viewer, entry: Entry) -> TeamOrder | None:
    """How the house made an entry, for its own team."""
    if not owns_entry(user, entry):
        return None
    return TeamOrder.objects.filter(entry=entry).first()
