"""Clients that send slowly: others are answered meanwhile, and their own time has an end."""

from __future__ import annotations

import contextlib
import json
import select
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator

import pytest
from django.http import HttpResponse, UnreadablePostError
from django.test import RequestFactory

from contest import outages
from contest.api.errors import handle
from contest.middleware import UnreadRequests
from contest.operations import processes
from tests.conftest import free_port
from tests.services.installation import Processes, wait_for

THREADS = 2
BODY_BYTES = 100_000
HEAD = (
    b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n"
    % BODY_BYTES
    + b"Cookie: csrftoken=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nusername="
)
HALF_A_HEAD = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nX-Name: "


@contextlib.contextmanager
def slow_clients(port: int, starts: list[bytes]) -> Iterator[list[socket.socket]]:
    """Connections that have begun a request, one per start."""
    with contextlib.ExitStack() as stack:
        made = []
        for start in starts:
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            connection.sendall(start)
            made.append(connection)
        yield made


def is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def answer_to_a_trickle(connection: socket.socket, silent: bool) -> bytes:
    """Send a byte now and then, or none, until the server answers or hangs up."""
    deadline = time.monotonic() + 120
    while not select.select([connection], [], [], 0.1)[0]:
        assert time.monotonic() < deadline, "the server waits for ever"
        if not silent:
            connection.sendall(b"x")
    connection.settimeout(60)
    return connection.recv(65536)


@contextlib.contextmanager
def web(**variables: str) -> Iterator[int]:
    """A web process that answers; yields its port."""
    port = free_port()
    with Processes(**variables) as running:
        running.start(*processes.web(f"127.0.0.1:{port}", threads=THREADS))
        wait_for(lambda: is_up(port), 120, "the web process answers")
        yield port


@pytest.mark.django_db(transaction=True)
def test_a_visitor_is_answered_while_slow_clients_are_held() -> None:
    """Slow heads, slow bodies, and both."""
    with web() as port:
        for bodies, heads in ((0, 60), (2 * THREADS, 0), (24, 60)):
            with slow_clients(port, [HEAD] * bodies + [HALF_A_HEAD] * heads) as slow:
                for _ in range(5):
                    for connection in slow:
                        connection.sendall(b"x")
                    assert is_up(port), "slow clients keep a visitor from being answered"
                early = select.select(slow, [], [], 0)[0]
                assert not early, "a slow client was hung up on before its time"


TOO_LATE = b"HTTP/1.1 408 "
TOO_SLOW: dict[str, tuple[tuple[bytes, bool, bytes], ...]] = {
    "REQUEST_SECONDS": ((HEAD, False, TOO_LATE), (HALF_A_HEAD, False, b"")),
    "SILENCE_SECONDS": ((HEAD, True, TOO_LATE),),
}
"""By the limit that ends them: how requests begin, whether they fall silent then, and what they are told."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limit", TOO_SLOW)
def test_who_sends_too_slowly_is_told_so_or_hung_up_on(limit: str) -> None:
    with web(**{f"KAKURENBO_{limit}": "1"}) as port:
        for start, silent, answer in TOO_SLOW[limit]:
            with slow_clients(port, [start] * THREADS) as slow:
                for connection in slow:
                    got = answer_to_a_trickle(connection, silent)
                    assert got.startswith(answer) and bool(got) is bool(answer)
                assert is_up(port)


@pytest.mark.django_db(transaction=True)
def test_a_server_that_is_stopped_answers_what_has_begun() -> None:
    port = free_port()
    with Processes() as running:
        process = running.start(*processes.web(f"127.0.0.1:{port}", processes=2, threads=THREADS))
        wait_for(lambda: is_up(port), 120, "the web process answers")
        with slow_clients(port, [HEAD, HALF_A_HEAD]) as (body, head):
            body.sendall(b"x" * (BODY_BYTES - 1000))
            assert is_up(port)
            process.send_signal(signal.SIGTERM)
            assert head.recv(100) == b"", "nobody waits for a request that has hardly begun"
            body.sendall(b"x" * (1000 - len(b"username=")))
            assert body.recv(100).startswith(b"HTTP/1.1 403 ")  # The form's token is missing.
        assert process.wait(timeout=60) == 0
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", port))


def test_the_api_says_so_in_its_own_shape(rf: RequestFactory) -> None:
    answer = handle(UnreadablePostError(), {})
    assert (answer.status_code, answer.data["error"]["code"]) == (408, "too-slow")
    for status, trouble in outages.OF_SERVER.items():
        request = rf.post("/api/v1/contests/", **{outages.REFUSED: status})
        answer = UnreadRequests(lambda request: HttpResponse())(request)
        assert (answer.status_code, json.loads(answer.content)["error"]["code"]) == (status, trouble.code)
