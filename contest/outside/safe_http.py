"""Requests to addresses that people gave us, without letting them reach what only we can reach.

The host is resolved once; every address it has must be public; the connection goes to the address that was
checked, so a name that answers differently the second time gains nothing. Redirects are not followed,
little of the answer is read, and everything together, the name lookup included, has a time limit.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

SECONDS = 10.0
MOST_READ = 1024
LONGEST_ADDRESS = 500
NAT64 = ipaddress.ip_network("64:ff9b::/96")
OPEN = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is handed out to the open network; what is outside, such as old site addresses, is not."""
CLOSED = (ipaddress.ip_network("3fff::/20"), ipaddress.ip_network("192.88.99.0/24"))
"""Examples in books and the relays of 6to4, which not every version of Python knows."""


class Unreachable(Exception):
    """The request was not made or not answered; the text says why and names no inner address."""


@dataclass(frozen=True)
class WebAddress:
    """Where a URL leads: checked in form, not yet resolved."""

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True)
class Reply:
    """An answer, as much of it as is read."""

    status: int
    body: bytes


def read_address(url: str, *, with_http: bool | None = None) -> WebAddress:
    """Take a URL apart; refuse what is not a plain public-looking address. Whether http is one is the
    choice of the site, or that of the caller."""
    if len(url) > LONGEST_ADDRESS or not url.isprintable() or " " in url or "\\" in url:
        raise Unreachable(
            _("An address has at most %(most)s characters and no spaces.") % {"most": LONGEST_ADDRESS}
        )
    try:
        parts = urlsplit(url)
        port = parts.port
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        raise Unreachable(_("This is not a web address.")) from None
    may_be_http = settings.WEBHOOKS_MAY_REACH_PRIVATE if with_http is None else with_http
    schemes = {"https": 443, "http": 80} if may_be_http else {"https": 443}
    if parts.scheme not in schemes:
        raise Unreachable(_("An address must begin with https://."))
    if not host or parts.username is not None or parts.password is not None:
        raise Unreachable(_("An address must name a host, without a user name."))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebAddress(parts.scheme, host, port or schemes[parts.scheme], path)


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the open network, also when it wraps another one.

    >>> [is_public(a) for a in ("93.184.216.34", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "::1")]
    [True, False, False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        wrapped = ip.ipv4_mapped or ip.sixtofour
        if ip in NAT64:
            wrapped = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if ip.teredo is not None:
            return False
        if wrapped is not None:
            return is_public(str(wrapped))
        if ip not in OPEN:
            return False
    if any(ip in network for network in CLOSED):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved and not ip.is_unspecified


def resolve(place: WebAddress, seconds: float, may_be_inner: bool) -> tuple[socket.AddressFamily, str]:
    """The one address to connect to. A host with even one inner address is refused as a whole, unless the
    site named that host itself."""
    addresses = _look_up(place, seconds)
    if not addresses:
        raise Unreachable(_("The host name is not known."))
    if not may_be_inner and not all(is_public(where) for _family, where in addresses):
        raise Unreachable(_("The host is not on the open network."))
    return addresses[0]


def _look_up(place: WebAddress, seconds: float) -> list[tuple[socket.AddressFamily, str]]:
    """The addresses of a host; none where its name is not known.

    The system's resolver takes no time limit and cannot be stopped. So a thread asks it, which ends by itself
    when the resolver gives up, and whose answer nobody reads any more if it is late.
    """
    found: list[tuple[socket.AddressFamily, str]] = []

    def ask() -> None:
        with contextlib.suppress(OSError, UnicodeError):
            answer = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
            found.extend((family, str(where[0])) for family, *_rest, where in answer)

    asking = threading.Thread(target=ask, name="resolver", daemon=True)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise _late()
    return found


def _late() -> Unreachable:
    return Unreachable(_("The host did not answer properly in time."))


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a body; returns the status. Raises `Unreachable` where there is none."""
    place = read_address(url)
    return send("POST", place, body, headers, may_be_inner=settings.WEBHOOKS_MAY_REACH_PRIVATE).status


def send(
    method: str,
    place: WebAddress,
    body: bytes | None,
    headers: Mapping[str, str],
    *,
    may_be_inner: bool,
    most_read: int = MOST_READ,
    seconds: float | None = None,
) -> Reply:
    """One request and the beginning of its answer, all within a time limit."""
    longest = SECONDS if seconds is None else seconds
    ends_at = time.monotonic() + longest
    family, address = resolve(place, longest, may_be_inner)
    left = ends_at - time.monotonic()
    if left <= 0:
        raise _late()
    raw = socket.socket(family, socket.SOCK_STREAM)
    raw.settimeout(left)
    # A server that drips bytes never runs into a time limit of single reads; this ends it. TLS takes the
    # socket over, so it is ended by a second handle.
    handle = raw.dup()
    watch = threading.Timer(left, _hang_up, [handle])
    watch.start()
    try:
        raw.connect((address, place.port))
        channel = raw
        if place.scheme == "https":
            channel = ssl.create_default_context().wrap_socket(raw, server_hostname=place.host)
        with channel:
            return _exchange(channel, place, method, body, headers, most_read)
    except (OSError, http.client.HTTPException, ValueError):
        raise _late() from None
    finally:
        watch.cancel()
        handle.close()
        raw.close()


def _exchange(
    channel: socket.socket,
    place: WebAddress,
    method: str,
    body: bytes | None,
    headers: Mapping[str, str],
    most_read: int,
) -> Reply:
    connection = http.client.HTTPConnection(place.host, place.port)
    connection.sock = channel
    try:
        connection.request(method, place.path, body, {**headers, "Connection": "close"})
        answer = connection.getresponse()
        return Reply(answer.status, answer.read(most_read))
    finally:
        connection.close()


def _hang_up(raw: socket.socket) -> None:
    with contextlib.suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)
