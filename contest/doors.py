"""Who is knocking, and what those are told who knocked too often."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from contest.models.names import normalise_name


def client_address(request: HttpRequest) -> str:
    """The visitor's address. Behind proxies of ours the last of the addresses that they wrote counts;
    whatever stands before those could have been forged."""
    proxies: int = settings.PROXIES
    if proxies:
        written = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        address = written[-min(proxies, len(written))]
        if address:
            return address[:45]
    return request.META.get("REMOTE_ADDR", "")[:45]


def client_name(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """The name that somebody tries to log in with, in the form in which names are compared."""
    return normalise_name((credentials or request.POST).get("username") or "")


def locked_out(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """The page for a name or an address whose log-ins failed too often."""
    return render(request, "429.html", status=429)
