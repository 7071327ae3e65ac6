"""Whose team is whose, and who may see one."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404
from django.shortcuts import get_object_or_404

from contest.access.contests import contest_for
from contest.access.organisers import is_organiser
from contest.access.viewers import Viewer, number_or_404
from contest.models import Contest, Invitation, Membership, Team
from contest.token_hashes import hash_token


def team_of(user: Viewer, contest: Contest) -> Team | None:
    if not user.is_authenticated:
        return None
    membership = Membership.objects.filter(contest=contest, user=user).select_related("team").first()
    return membership.team if membership else None


def team_for(user: Viewer, contest_slug: str, team_id: int) -> Team:
    """A team's own pages are for its members and the organisers."""
    contest = contest_for(user, contest_slug)
    team = Team.objects.filter(contest=contest, pk=team_id).first()
    if team is None or not user.is_authenticated:
        raise Http404
    if not (Membership.objects.filter(team=team, user=user).exists() or is_organiser(user, contest)):
        raise Http404
    team.contest = contest
    return team


def own_team_for(user: Viewer, contest: Contest) -> Team:
    team = team_of(user, contest)
    if team is None:
        raise Http404
    return team


def teams_of(contest: Contest, ids: Sequence[str]) -> list[Team]:
    """Teams of a contest that the caller organises; one that is not among them does not exist."""
    wanted = {number_or_404(key) for key in ids}
    teams = list(Team.objects.filter(contest=contest, pk__in=wanted).select_related("contest").order_by("pk"))
    if len(teams) != len(wanted):
        raise Http404
    return teams


def may_remove_members(user: Viewer, team: Team) -> bool:
    """A team's captain and the organisers of its contest."""
    if not user.is_authenticated:
        return False
    leads = Membership.objects.filter(team=team, user=user, role=Membership.Role.CAPTAIN).exists()
    return leads or is_organiser(user, team.contest)


def removable_member_of(user: Viewer, team: Team, membership_id: int) -> Membership:
    if not may_remove_members(user, team):
        raise Http404
    membership = get_object_or_404(Membership.objects.select_related("user"), team=team, pk=membership_id)
    membership.team = team
    return membership


def invitation_for(token: str) -> Invitation:
    found = Invitation.objects.select_related("team__contest")
    return get_object_or_404(found, token_sha256=hash_token(token))


def invitation_of(team: Team, invitation_id: int) -> Invitation:
    invitation = get_object_or_404(Invitation, team=team, pk=invitation_id)
    invitation.team = team
    return invitation
