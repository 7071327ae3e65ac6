"""The front of the web server: the application sees whole requests, and nobody uses up the room of others."""

from __future__ import annotations

import contextlib
import functools
import io
import resource
import select
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from config import server
from config.front import HEAD_BYTES, IN_MEMORY_BYTES, Front, make_front
from contest.outages import REFUSED
from tests.services.installation import wait_for

MEGABYTE = 1024 * 1024


class Application:
    """Remembers what it was given, and answers with the status of a refusal."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int]] = []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path, refused = environ["PATH_INFO"], environ[REFUSED]
        self.seen.append((path, refused, len(environ["wsgi.input"].read())))
        start_response(f"{refused or 200} X", [("Content-Type", "text/plain")])
        if path == "/stream":
            return (b"x" * MEGABYTE for _ in range(64))
        if path == "/file":
            file: Iterable[bytes] = environ["wsgi.file_wrapper"](io.BytesIO(b"x" * 64 * MEGABYTE))
            return file
        return [b"whole"]


@contextlib.contextmanager
def serving(application: Application, threads: int = 1, connections: int = 100) -> Iterator[Front]:
    listener = socket.create_server(("127.0.0.1", 0))
    front = make_front(application, listener, threads, connections)
    stopping = threading.Event()

    def run() -> None:
        while not stopping.is_set():
            front.turn(0.02)
        front.stop(0)

    loop = threading.Thread(target=run)
    loop.start()
    try:
        yield front
    finally:
        stopping.set()
        loop.join()


@contextlib.contextmanager
def connected(front: Front) -> Iterator[socket.socket]:
    port = int(front.effective_port)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        yield connection


def head(path: str, length: int | str = 0, more: bytes = b"") -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n".encode() + more + b"\r\n"


def ask(front: Front, sent: bytes = head("/")) -> bytes:
    with connected(front) as connection:
        connection.sendall(sent)
        return first_line(connection)


def first_line(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536).split(b"\r\n", 1)[0]
    except ConnectionResetError:
        return b""


def is_here(front: Front, path: str) -> bool:
    channels = list(front.active_channels.values())
    return any(getattr(channel.request, "path", "") == path for channel in channels)


def test_a_body_that_breaks_off_never_reaches_the_application() -> None:
    application = Application()
    with serving(application) as front:
        for sent in (0, 7, IN_MEMORY_BYTES * 3):
            with connected(front) as connection:
                connection.sendall(head("/cut", 10 * IN_MEMORY_BYTES) + b"x" * sent)
                connection.shutdown(socket.SHUT_WR)
                assert first_line(connection) == b""
        chunks = b"POST /cut HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        with connected(front) as connection:
            connection.sendall(chunks)
            connection.shutdown(socket.SHUT_WR)
            assert first_line(connection) == b""
        assert ask(front, head("/whole", 3) + b"abc") == b"HTTP/1.1 200 X"
        assert ask(front, chunks.replace(b"/cut", b"/chunks") + b"0\r\n\r\n") == b"HTTP/1.1 200 X"
    assert application.seen == [("/whole", 0, 3), ("/chunks", 0, 5)]


@pytest.mark.parametrize("silent", [True, False])
def test_a_slow_body_ends_with_408_and_a_slow_head_without_an_answer(silent: bool, settings) -> None:
    setattr(settings, "SILENCE_SECONDS" if silent else "REQUEST_SECONDS", 1)
    application = Application()
    with serving(application) as front, connected(front) as body, connected(front) as start:
        body.sendall(head("/slow", 1000))
        start.sendall(b"POST /slow HTTP/1.1\r\nX: ")
        waiting = [body, start]
        deadline = time.monotonic() + 60
        while waiting:
            assert time.monotonic() < deadline, "the server waits for ever"
            ready = select.select(waiting, [], [], 0.1)[0]
            for connection in ready:
                assert first_line(connection) == (b"HTTP/1.1 408 X" if connection is body else b"")
            waiting = [connection for connection in waiting if connection not in ready]
            if not silent:
                for connection in waiting:
                    connection.sendall(b"x")
    assert application.seen == [("/slow", 408, 0)]


def test_a_body_is_cut_at_the_limit_while_it_comes(settings) -> None:
    settings.REQUEST_MAX_BYTES = MEGABYTE
    application = Application()
    chunks = head("/", more=b"Transfer-Encoding: chunked\r\n") + b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
    with serving(application) as front:
        assert ask(front, head("/", MEGABYTE) + b"x" * MEGABYTE) == b"HTTP/1.1 200 X"
        assert ask(front, head("/", MEGABYTE + 1)) == b"HTTP/1.1 413 X"
        with connected(front) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(chunks + b"100000\r\n" + b"x" * MEGABYTE)
            assert first_line(connection) in (b"HTTP/1.1 413 X", b"")
        wait_for(lambda: len(application.seen) == 3, 30, "the last one was refused")
    assert [(refused, size) for _, refused, size in application.seen] == [(0, MEGABYTE), (413, 0), (413, 0)]


@pytest.mark.parametrize(
    "strange",
    [
        head("/", "9" * 5000),
        head("/", "-1"),
        head("/", "٣"),
        head("/", more=b"X: " + b"x" * HEAD_BYTES + b"\r\n"),
        head("/", more=b"Transfer-Encoding: gzip\r\n"),
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 5000 + b"\r\n",
        b"GET / / HTTP/1.1\r\n\r\n",
        b"\r\n" * 100,
    ],
    ids=[
        "long length",
        "negative",
        "digits of others",
        "head",
        "encoding",
        "long chunk",
        "line",
        "empty lines",
    ],
)
def test_what_is_no_request_is_refused_and_the_server_lives(strange: bytes) -> None:
    application = Application()
    with serving(application) as front:
        with connected(front) as connection:
            connection.sendall(strange)
            connection.shutdown(socket.SHUT_WR)
            line = first_line(connection)
        assert line == b"" or line[9:12] in (b"400", b"413", b"431", b"501"), line
        assert ask(front) == b"HTTP/1.1 200 X"


def test_bodies_on_their_way_share_the_disk_and_the_oldest_gives_way(settings) -> None:
    settings.BODIES_MAX_BYTES = 4 * MEGABYTE
    application = Application()
    with serving(application) as front, contextlib.ExitStack() as stack:
        slow = []
        for place in range(6):
            connection = stack.enter_context(connected(front))
            connection.sendall(head(f"/{place}", 2 * MEGABYTE) + b"x" * (MEGABYTE - 1000))
            slow.append(connection)
            wait_for(functools.partial(is_here, front, f"/{place}"), 30, "the front has seen it")
        assert ask(front, head("/new", MEGABYTE) + b"x" * MEGABYTE) == b"HTTP/1.1 200 X"
        for connection in slow[:2]:
            assert first_line(connection) == b"HTTP/1.1 503 X"
    assert ("/0", 503, 0) in application.seen and ("/5", 503, 0) not in application.seen


def test_connections_that_ask_for_nothing_make_room_for_newcomers() -> None:
    with serving(Application(), connections=20) as front, contextlib.ExitStack() as stack:
        for place in range(60):
            connection = stack.enter_context(connected(front))
            connection.sendall(b"POST /" if place % 2 else b"")
        assert ask(front) == b"HTTP/1.1 200 X"


@pytest.mark.parametrize("path", ["/file", "/stream"])
def test_who_does_not_read_the_answer_keeps_no_thread(path: str, settings) -> None:
    """A file is sent without a thread; whoever lets a stream stand is hung up on after a while."""
    if path == "/stream":
        settings.SILENCE_SECONDS = 1
    application = Application()
    with serving(application) as front, contextlib.ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(connected(front))
            connection.sendall(head(path))
        assert ask(front) == b"HTTP/1.1 200 X"


@pytest.mark.parametrize(
    ("soft", "hard", "connections"),
    [(1024, 524288, 2000), (1024, 1024, 384), (-1, -1, 2000), (1024, -1, 2000), (300, 300, 22)],
)
def test_the_limit_on_open_files_is_raised_or_kept(
    soft: int, hard: int, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: given.append(limits))
    assert server.allowed_connections(2000) == connections
    now = given[-1][0] if given else soft
    assert now == -1 or (now >= 2 * connections and (hard == -1 or now <= hard))


def test_a_server_listens_on_a_socket_of_the_file_system(tmp_path) -> None:
    application = Application()
    path = tmp_path / "web.sock"
    for _ in range(2):  # A socket that a killed server left is replaced.
        listener = server.listening_socket(f"unix:{path}")
        front = make_front(application, listener, 1, 10)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(head("/"))
            deadline = time.monotonic() + 30
            while not application.seen:
                assert time.monotonic() < deadline, "nothing came"
                front.turn(0.02)
        front.stop(0)
        application.seen.clear()


@pytest.mark.parametrize("bind", ["8000", ":8000", "127.0.0.1:", "127.0.0.1:http"])
def test_a_strange_address_is_refused(bind: str) -> None:
    with pytest.raises(SystemExit, match="Got"):
        server.listening_socket(bind)
