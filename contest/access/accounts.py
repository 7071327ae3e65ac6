"""What belongs to a person alone: tokens, log-ins and identities elsewhere."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404

from contest.access.organisers import is_organiser
from contest.models import ApiToken, Identity, LogIn, Membership, User
from contest.token_hashes import hash_token


def tokens_for(user: User) -> QuerySet[ApiToken]:
    """Somebody's own tokens and those of their teams: a member may revoke what another member made."""
    teams = Membership.objects.filter(user=user).values("team")
    return ApiToken.objects.filter(Q(user=user) | Q(team__in=teams)).select_related("user", "team__contest")


def token_for(user: User, token_id: int) -> ApiToken:
    return get_object_or_404(tokens_for(user), pk=token_id)


def token_of_secret(secret: str) -> ApiToken | None:
    """The token that a program shows, while its maker still belongs to the team that it is for."""
    token = (
        ApiToken.objects.select_related("user", "team__contest")
        .filter(token_sha256=hash_token(secret))
        .first()
    )
    if token is None or not token.user.is_active:
        return None
    if token.team is None:
        return token
    is_member = Membership.objects.filter(team=token.team, user=token.user).exists()
    # Members pass a team's token on, so it must never carry an organiser's rights.
    return token if is_member and not is_organiser(token.user, token.team.contest) else None


def profile_of(user_id: int) -> User:
    """A person who chose to have a public profile."""
    return get_object_or_404(User, pk=user_id, has_public_profile=True, is_active=True, deleted_at=None)


def log_in_for(user: User, log_in_id: int) -> LogIn:
    return get_object_or_404(LogIn, user=user, pk=log_in_id)


def identity_for(user: User, identity_id: int) -> Identity:
    return get_object_or_404(Identity, user=user, pk=identity_id)
