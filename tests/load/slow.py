"""Clients that send a request byte by byte, beside visitors who want an answer now."""

from __future__ import annotations

import contextlib
import itertools
import resource
import select
import socket
import threading
from collections.abc import Iterator

import psutil

from tests.load.people import Viewers, percentile
from tests.load.run import Site
from tests.services.installation import wait_for

BODY = (
    b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nusername="
)
HEAD = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nX-Name: "


class Trickle:
    """Connections that have begun a request; each sends a byte every few seconds."""

    def __init__(self, port: int, starts: list[bytes], every: float) -> None:
        self.every = every
        self.stopping = threading.Event()
        self.connections = []
        for start in starts:
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            connection.sendall(start)
            self.connections.append(connection)
        self.hand = threading.Thread(target=self._send, daemon=True)
        self.hand.start()

    def _send(self) -> None:
        pause = self.every / len(self.connections)
        for connection in itertools.cycle(self.connections):
            if self.stopping.wait(pause):
                return
            with contextlib.suppress(OSError):
                connection.sendall(b"x")

    def held(self) -> int:
        """How many the server has neither answered nor hung up on."""
        poll = select.poll()
        for connection in self.connections:
            poll.register(connection, select.POLLIN)
        return len(self.connections) - len(poll.poll(0))

    def close(self) -> None:
        self.stopping.set()
        self.hand.join()
        for connection in self.connections:
            connection.close()


@contextlib.contextmanager
def slow_clients(port: int, bodies: int, heads: int, every: float) -> Iterator[Trickle]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2 * (bodies + heads):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2 * (bodies + heads) + 1024), hard))
    trickle = Trickle(port, [BODY] * bodies + [HEAD] * heads, every)
    try:
        yield trickle
    finally:
        trickle.close()


def measure_slow(here: Site, bodies: int, heads: int, visitors: int, looks: int) -> str:
    """Visitors look at the board, each so often, while all slow clients are held."""
    alone = _look(here.port, visitors, looks)
    before = _memory(here)
    with slow_clients(here.port, bodies, heads, every=5.0) as slow:
        watching = _look(here.port, visitors, looks)
        held, memory = slow.held(), _memory(here)
    assert watching.failed == 0, f"{watching.failed} looks failed"
    assert held == bodies + heads, f"{held} of {bodies + heads} slow clients are still held"
    each = (memory - before) / (bodies + heads) / 1024
    return (
        f"{bodies} slow bodies and {heads} slow heads held by one process, {visitors} visitors beside them: "
        f"{len(watching.seconds)} looks, 0 failed; p50 {percentile(watching.seconds, 0.5):.2f} s, "
        f"p95 {percentile(watching.seconds, 0.95):.2f} s (without slow clients "
        f"{percentile(alone.seconds, 0.95):.2f} s); {each:.1f} kB for each slow client"
    )


def _look(port: int, visitors: int, looks: int) -> Viewers:
    watching = Viewers(port, visitors, every=1.0)
    watching.start()
    wait_for(lambda: len(watching.seconds) >= visitors * looks, 600, "everybody has looked often enough")
    watching.stop()
    return watching


def _memory(here: Site) -> int:
    return int(psutil.Process(here.web).memory_info().rss)
