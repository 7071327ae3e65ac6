"""What everybody may know of a team, and of a person who wants to be known: places, awards, contests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser

from contest import access
from contest.board.award_words import basis_in_words
from contest.models import Membership, Round, Standing, Team, User


@dataclass(frozen=True)
class RoundPlace:
    """``place`` is None where the team has none on the board."""

    round: Round
    place: int | None
    of: int


def places_of_team(team: Team) -> list[RoundPlace]:
    """The places of a team, of rounds whose whole board everybody sees; of others nothing is said."""
    everybody = AnonymousUser()
    rounds = [
        one for one in access.announced_rounds(team.contest) if access.sees_board_history(everybody, one)
    ]
    return [_place(round_, team) for round_ in rounds]


def _place(round_: Round, team: Team) -> RoundPlace:
    recorded = Standing.objects.filter(round=round_)
    if round_.still_since is not None:
        recorded = recorded.filter(at__lte=round_.still_since)
    last = recorded.order_by("-at", "-pk").first()
    ranks = {row["team"]: row["rank"] for row in last.places if row["rank"] is not None} if last else {}
    return RoundPlace(round_, ranks.get(team.pk), len(ranks))


def team_context(team: Team) -> dict[str, Any]:
    """The public page of a team. Members are named only where they want to be."""
    awards = [award for award in access.public_awards(team.contest) if award.team_id == team.pk]
    people = Membership.objects.filter(team=team, user__has_public_profile=True, user__is_active=True)
    return {
        "team": team,
        "contest": team.contest,
        "places": places_of_team(team),
        "awards": [(award, basis_in_words(award)) for award in awards],
        "people": [row.user for row in people.select_related("user").order_by("pk")],
    }


def profile_context(person: User) -> dict[str, Any]:
    """The public profile of a person: their teams in contests that everybody sees, newest first."""
    return {
        "person": person,
        "history": [(team, places_of_team(team)) for team in access.public_teams_of(person)],
    }
