"""The front of the web server: reads whole requests before a thread of the application is spent on them.

Waitress holds all connections in one loop, collects head and body of each request, large bodies on disk, and
hands a request to a thread when it is complete. Added here: a limit on the whole time of a request, an answer
that says what was wrong, and room for new connections where open ones or incoming bodies have used it up.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer, UnixWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import RequestEntityTooLarge

from contest.outages import REFUSED

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]

IN_MEMORY_BYTES = 64 * 1024
HEAD_BYTES = 32 * 1024


class Request(HTTPRequestParser):
    """An incoming request. One that is refused keeps its head, so that the application can answer it."""

    refused = 0

    def __init__(self, adj: Adjustments) -> None:
        super().__init__(adj)
        self.begun = time.time()

    def received(self, data: bytes) -> int:
        consumed = int(super().received(data))
        if isinstance(self.error, RequestEntityTooLarge):
            self.refuse(413)
        return consumed

    def refuse(self, status: int) -> None:
        self.close()
        self.body_rcv = None
        self.error, self.refused, self.completed = None, status, True
        self.body_bytes_received = 0
        self.headers |= {"CONTENT_LENGTH": "0", "CONNECTION": "close"}


class Task(WSGITask):
    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[REFUSED] = self.request.refused
        return environ


class Channel(HTTPChannel):
    """One connection."""

    request: Request | None
    requests: list[Request]
    parser_class = Request
    task_class = Task

    def received(self, data: bytes) -> bool:
        accepted = bool(super().received(data))
        request = self.request
        if request is not None and request.body_bytes_received > IN_MEMORY_BYTES:
            self.server.limit_bodies()
        return accepted

    def handle_close(self) -> None:
        request, self.request = self.request, None
        if request is not None:
            request.close()
        super().handle_close()

    @property
    def is_reading(self) -> bool:
        """Whether there is an incoming request whose head is complete."""
        return self.request is not None and self.request.headers_finished

    @property
    def is_late(self) -> bool:
        """Whether the client has been silent for too long, or its request is taking too long."""
        now = time.time()
        if self.requests and not self.total_outbufs_len:
            return False
        if self.last_activity < now - settings.SILENCE_SECONDS:
            return True
        request = self.request
        return request is not None and request.begun < now - settings.REQUEST_SECONDS

    def give_up(self, status: int) -> None:
        """Answer a request whose head is complete; disconnect everybody else."""
        request = self.request
        if request is None or not request.headers_finished or self.requests:
            # Waitress' own flag waits until the client can be written to, which may be never.
            self.handle_close()
            return
        with self.requests_lock:
            self.request = None
            self.sent_continue = False
            request.refuse(status)
            self.requests.append(request)
        self.server.add_task(self)


class Front(wasyncore.dispatcher):
    """What is added to Waitress' servers. All of it runs in the thread of the loop."""

    channel_class = Channel
    active_channels: dict[int, Channel]
    task_dispatcher: ThreadedTaskDispatcher
    adj: Adjustments
    next_look = 0.0

    def readable(self) -> bool:
        # While complete requests wait for a thread, new connections wait where another process finds them.
        return bool(super().readable()) and not self.task_dispatcher.queue

    def maintenance(self, now: float) -> None:
        """Called by Waitress while it collects what it waits for; too early to close anything, see `turn`."""

    def turn(self, seconds: float) -> None:
        """Drop connections that are late or too many, then wait at most this long for events and handle them.

        Nobody is disconnected while events are handled: the next connection would get the same number, and
        events of the former one would be taken for its own.
        """
        now = time.monotonic()
        if now >= self.next_look:
            self.next_look = now + 1
            for channel in list(self.active_channels.values()):
                if channel.is_late:
                    channel.give_up(408)
        if len(self._map) >= self.adj.connection_limit:
            self._make_room()
        wasyncore.loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def _make_room(self) -> None:
        """Drop some that have not sent a request yet: the oldest, as honest clients send soon."""
        waiting = [channel for channel in self.active_channels.values() if not channel.requests]
        waiting.sort(key=_begun)
        for channel in waiting[: 1 + len(waiting) // 20]:
            channel.give_up(503)

    def limit_bodies(self) -> None:
        """Refuse the oldest large incoming bodies while all bodies together take too much of the disk."""
        channels = list(self.active_channels.values())
        held = sum(_body_bytes(channel) for channel in channels)
        reading = [
            channel
            for channel in channels
            if channel.is_reading and not channel.requests and _body_bytes(channel) > IN_MEMORY_BYTES
        ]
        for channel in sorted(reading, key=_begun):
            if held <= settings.BODIES_MAX_BYTES:
                return
            held -= _body_bytes(channel)
            channel.give_up(503)

    def stop(self, seconds: float) -> None:
        """Take no new connection, answer what has begun, for at most this long, and close everything."""
        wasyncore.dispatcher.close(self)
        deadline = time.monotonic() + seconds
        while self.active_channels and time.monotonic() < deadline:
            for channel in self.active_channels.values():
                if not (channel.requests or channel.total_outbufs_len or channel.is_reading):
                    channel.will_close = True
            self.turn(0.1)
        self.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)


class TcpFront(Front, TcpWSGIServer):
    pass


class UnixFront(Front, UnixWSGIServer):
    pass


def _begun(channel: Channel) -> float:
    return channel.request.begun if channel.request else float(channel.last_activity)


def _body_bytes(channel: Channel) -> int:
    requests = [*channel.requests, channel.request] if channel.request else channel.requests
    return sum(request.body_bytes_received for request in requests)


def make_front(application: Application, listener: socket.socket, threads: int, connections: int) -> Front:
    """Serve an application on a socket that listens already; `Front.turn` does the work."""
    adjustments = Adjustments(
        sockets=[listener],
        threads=threads,
        connection_limit=connections,
        recv_bytes=65536,
        inbuf_overflow=IN_MEMORY_BYTES,
        max_request_header_size=HEAD_BYTES,
        # Waitress refuses what is as large as its limit.
        max_request_body_size=settings.REQUEST_MAX_BYTES + 1,
        # Django reads them, for as many proxies as the installation says it has.
        clear_untrusted_proxy_headers=False,
        asyncore_use_poll=True,
        log_socket_errors=False,
        ident=None,
    )
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(threads)
    kind = UnixFront if listener.family == socket.AF_UNIX else TcpFront
    place = (listener.family, listener.type, listener.proto, listener.getsockname())
    return kind(
        application, {}, True, listener, dispatcher=dispatcher, adj=adjustments, bind_socket=False,
        sockinfo=place,
    )  # fmt: skip
