"""Who calls: nobody, or the maker of the token in ``Authorization: Bearer …``."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied, Throttled
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from contest import access
from contest.api.throttles import UnknownTokens
from contest.models import ApiToken, User
from contest.services.tokens import note_use


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        token = access.token_of_secret(words[1].decode("latin-1")) if len(words) == 2 else None
        if token is None:
            unknown = UnknownTokens()
            if not unknown.allow(request):
                raise Throttled(unknown.wait())
            raise AuthenticationFailed(_("This token is not known."), code="token-unknown")
        if token.revoked_at is not None:
            raise AuthenticationFailed(_("This token was revoked."), code="token-revoked")
        if token.is_expired:
            raise AuthenticationFailed(_("This token has expired. Make a new one."), code="token-expired")
        note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="kakurenbo"'


class TokenScheme(OpenApiAuthenticationExtension):
    """How the OpenAPI document describes the tokens."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token from the page “Tokens”."}


class HasScope(BasePermission):
    """A token does only what it was made for, and a team's token only in its contest."""

    def has_permission(self, request: Request, view: Any) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        needed = view.scope_of(request.method)
        if needed and needed not in token.scopes:
            raise PermissionDenied(
                _("This token lacks the scope %(needed)r.") % {"needed": needed}, code="scope-missing"
            )
        slug = view.kwargs.get("slug")
        if token.team is not None and slug is not None and slug != token.team.contest.slug:
            raise PermissionDenied(
                _("This token is for the contest %(slug)r only.") % {"slug": token.team.contest.slug},
                code="token-of-another-contest",
            )
        return True
