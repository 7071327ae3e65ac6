"""The address of a client, and the answer to one that asks too often."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from contest.names.lookalikes import normalise_name


def client_address(request: HttpRequest) -> str:
    """The visitor's address. Behind proxies of ours the last of the addresses that they wrote counts;
    anything before those could have been forged."""
    proxies: int = settings.PROXIES
    if proxies:
        written = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        address = written[-min(proxies, len(written))]
        if address:
            return address[:45]
    return request.META.get("REMOTE_ADDR", "")[:45]


def client_network(request: HttpRequest) -> str:
    """What limits count as one visitor: an IPv4 address, or the /64 of an IPv6 address, since one household
    or machine has all addresses of a /64. Whatever is not an address counts as one visitor, too."""
    return network_of(client_address(request))


def network_of(address: str) -> str:
    """The first address of the network that counts as one visitor.

    >>> network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.1")
    ('2001:db8:1:2::', '192.0.2.1')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return "::"
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> 64 << 64))


def client_name(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """The name that somebody tries to log in with, in the form in which names are compared."""
    return normalise_name((credentials or request.POST).get("username") or "")


def locked_out(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
    """The page for an address whose log-ins failed too often."""
    return render(request, "429.html", status=429)
