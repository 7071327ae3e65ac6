"""Clients that send for ever: they are told 408 or hung up on, and their threads serve others again."""

from __future__ import annotations

import select
import socket
import time
import urllib.request
from collections import deque
from types import SimpleNamespace

import pytest
from django.http import UnreadablePostError

from config.bodies import Body
from config.webworker import PatientWorker
from contest import processes
from contest.api.errors import handle
from tests.conftest import free_port
from tests.services.installation import Processes, wait_for

THREADS = 2
HEAD = (
    b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
    b"Cookie: csrftoken=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nusername="
)
HALF_A_HEAD = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nX-Name: "


def is_up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60) as answer:
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


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("start", "silent", "limit", "answer"),
    [
        (HEAD, False, "REQUEST_SECONDS", b"HTTP/1.1 408 "),
        (HEAD, True, "SILENCE_SECONDS", b"HTTP/1.1 408 "),
        (HALF_A_HEAD, False, "REQUEST_SECONDS", b""),
    ],
    ids=["a body byte by byte", "a body that stops", "a header byte by byte"],
)
def test_who_sends_too_slowly_does_not_keep_the_thread(
    start: bytes, silent: bool, limit: str, answer: bytes
) -> None:
    port = free_port()
    with Processes(**{f"KAKURENBO_{limit}": "1"}) as running:
        running.start(*processes.web(f"127.0.0.1:{port}", threads=THREADS))
        wait_for(lambda: is_up(port), 120, "the web process answers")
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(THREADS)]
        try:
            for connection in slow:
                connection.sendall(start)
            for connection in slow:
                got = answer_to_a_trickle(connection, silent)
                assert got.startswith(answer) and bool(got) is bool(answer)
            assert is_up(port)
        finally:
            for connection in slow:
                connection.close()


def test_a_body_that_breaks_off_is_an_error_and_not_a_shorter_body() -> None:
    class Stream:
        def read(self, size: int) -> bytes:
            return b"abc"[:size]

        def readline(self, size: int) -> bytes:
            return b""

    body = Body(Stream(), 7)
    assert body.read(3) == b"abc"
    assert not body.is_cut
    for read in (body.read, body.readline):
        with pytest.raises(TimeoutError):
            read()
    assert body.is_cut
    whole = Body(Stream(), 3)
    assert (whole.read(), whole.read(), whole.is_cut) == (b"abc", b"", False)


def test_the_api_says_so_in_its_own_shape() -> None:
    answer = handle(UnreadablePostError(), {})
    assert (answer.status_code, answer.data["error"]["code"]) == (408, "too-slow")


def test_a_process_takes_as_many_requests_as_it_has_threads() -> None:
    """Connections that ask for nothing do not count, and gunicorn's own limit holds."""
    worker = PatientWorker.__new__(PatientWorker)
    worker.cfg = SimpleNamespace(threads=2)
    worker.keepalived_conns, worker.pending_conns = deque(), deque()
    worker.worker_connections = 6
    assert worker.worker_connections == 2
    worker.keepalived_conns.extend("abc")
    assert worker.worker_connections == 5
    worker.pending_conns.extend("de")
    assert worker.worker_connections == 6
