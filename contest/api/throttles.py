"""How often somebody may call. The rates are settings; None switches one off."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from contest.client_address import client_network
from contest.models import ApiToken


class Throttle(SimpleRateThrottle):
    """Visitors are distinguished by their address, tokens by their number; uploads have their own rate."""

    def get_rate(self) -> str | None:
        return None  # It depends on the request, so `allow_request` looks it up.

    def allow_request(self, request: Request, view: Any) -> bool:
        kind = "anonymous" if request.auth is None else "token"
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            kind = "write"
        self.scope = kind
        self.rate = settings.API_RATES[kind]
        self.num_requests, self.duration = self.parse_rate(self.rate)
        return super().allow_request(request, view)

    def get_cache_key(self, request: Request, view: Any) -> str:
        token = request.auth
        who = f"token-{token.pk}" if isinstance(token, ApiToken) else client_network(request)
        return self.cache_format % {"scope": self.scope, "ident": who}


class UnknownTokens(SimpleRateThrottle):
    """Calls with unknown tokens, by address. Only these are counted and refused: a known token works,
    no matter who else calls from the same address."""

    scope = "unknown-token"

    def allow(self, request: Request) -> bool:
        no_view: Any = None
        return bool(self.allow_request(request, no_view))

    def get_rate(self) -> str | None:
        rate: str | None = settings.API_RATES.get(self.scope)
        return rate

    def get_cache_key(self, request: Request, view: Any) -> str:
        return self.cache_format % {"scope": self.scope, "ident": client_network(request)}
