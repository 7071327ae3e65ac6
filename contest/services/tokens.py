from __future__ import annotations

import datetime
import secrets
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.errors import Refused
from contest.models import ApiToken, Organiser, Team, User
from contest.records import audit
from contest.records.locks import lock_person
from contest.token_hashes import hash_token

PREFIX = "kkb_"
"""Secrets begin with this, so that scanners for leaked keys can recognise them."""
MAX_TOKENS = 50
SEEN_EVERY = datetime.timedelta(minutes=1)


def create_token(user: User, name: str, scopes: Sequence[str], days: int, team: Team | None = None) -> str:
    """Make a token and return its secret, which is shown once and stored only as a hash."""
    if team is not None and ApiToken.Scope.ORGANISE in scopes:
        raise Refused("team-token-cannot-organise", _("A token of a team cannot run a contest."))
    if team is not None and Organiser.objects.filter(contest=team.contest_id, user=user).exists():
        raise Refused("organiser-in-team", _("An organiser cannot make a token for a team of the contest."))
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        lock_person(user.pk)
        now = timezone.now()
        usable = ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=now)
        if usable.count() >= MAX_TOKENS:
            raise Refused(
                "too-many-tokens",
                _("You have %(max_tokens)s tokens already; revoke one first.") % {"max_tokens": MAX_TOKENS},
            )
        token = ApiToken.objects.create(
            user=user,
            team=team,
            name=name,
            hint=secret[:10],
            token_sha256=hash_token(secret),
            scopes=sorted(set(scopes)),
            expires_at=now + datetime.timedelta(days=days),
        )
        audit.record(
            "token.created",
            token,
            contest=team.contest if team else None,
            actor=user,
            after={"name": name, "scopes": token.scopes, "expires_at": token.expires_at.isoformat()},
        )
    return secret


def revoke_token(token: ApiToken, user: User) -> None:
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
            contest = token.team.contest if token.team else None
            audit.record("token.revoked", token, contest=contest, actor=user)


def revoke_all(user: User) -> int:
    """End every token of a person, as a new password does. Call it with the person locked."""
    usable = ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now())
    tokens = list(usable.select_related("team__contest"))
    for token in tokens:
        revoke_token(token, user)
    return len(tokens)


def note_use(token: ApiToken) -> None:
    """Record when a token was last used, at most once per minute: reading must stay cheap."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - SEEN_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - SEEN_EVERY)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
