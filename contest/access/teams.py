"""Whose team is whose, and who may see one."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404
from django.shortcuts import get_object_or_404

from contest.access.contests import contest_for
from contest.access.organisers import is_organiser
from contest.access.viewers import Viewer, number_or_404
from contest.models import Contest, Invitation, Membership, Team, User
from contest.token_hashes import hash_token

PLAYING = (Team.Status.ACTIVE, Team.Status.LOCKED)
"""A team that was not let in yet, or was removed, is not named to others."""


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


def public_team_for(user: Viewer, contest_slug: str, team_id: int) -> Team:
    """A team that everybody who sees its contest may know of: it plays, and is not the house."""
    contest = contest_for(user, contest_slug)
    team = get_object_or_404(Team, contest=contest, pk=team_id, is_house=False, status__in=PLAYING)
    team.contest = contest
    return team


def public_teams_of(person: User) -> list[Team]:
    """The teams of a person in contests that everybody sees, newest first."""
    found = Team.objects.filter(memberships__user=person, contest__is_public=True, status__in=PLAYING)
    return list(found.select_related("contest").order_by("-contest__created_at", "-pk"))


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


def shaped_team_for(user: Viewer, contest_slug: str, team_id: int) -> Team:
    """A team whose track somebody may choose: its captain and the organisers of its contest."""
    team = team_for(user, contest_slug, team_id)
    if not may_remove_members(user, team):
        raise Http404
    return team


def removable_member_of(user: Viewer, team: Team, membership_id: int) -> Membership:
    if not may_remove_members(user, team):
        raise Http404
    membership = get_object_or_404(Membership.objects.select_related("user"), team=team, pk=membership_id)
    membership.team = team
    return membership


def own_membership_for(user: Viewer, contest: Contest) -> Membership:
    """One's own place in one's team of a contest."""
    if not user.is_authenticated:
        raise Http404
    rows = Membership.objects.select_related("team__contest", "user")
    return get_object_or_404(rows, contest=contest, user=user)


def led_team_for(user: Viewer, contest: Contest) -> Team:
    """The team that somebody leads; for all others there is none."""
    own = own_membership_for(user, contest)
    if own.role != Membership.Role.CAPTAIN:
        raise Http404
    return own.team


def member_of(team: Team, membership_id: int) -> Membership:
    return get_object_or_404(Membership.objects.select_related("user"), team=team, pk=membership_id)


def invitation_for(token: str) -> Invitation:
    found = Invitation.objects.select_related("team__contest")
    return get_object_or_404(found, token_sha256=hash_token(token))


def invitation_of(team: Team, invitation_id: int) -> Invitation:
    invitation = get_object_or_404(Invitation, team=team, pk=invitation_id)
    invitation.team = team
    return invitation
