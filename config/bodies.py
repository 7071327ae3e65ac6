"""The body of a request as it comes over the wire: whole, or cut off because it came too slowly."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings

LATE = "The body of the request did not come in time."
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class Body:
    """A body that is shorter than announced is an error, never a shorter upload. ``is_cut`` remembers it."""

    def __init__(self, stream: Any, length: int) -> None:
        self.stream = stream
        self.left = length
        self.is_cut = False

    def read(self, size: int = -1) -> bytes:
        return self._take(self.stream.read, size)

    def readline(self, size: int = -1) -> bytes:
        return self._take(self.stream.readline, size)

    def _take(self, read: Callable[[int], bytes], size: int) -> bytes:
        wanted = self.left if size is None or size < 0 else min(size, self.left)
        if not wanted:
            return b""
        if self.is_cut:
            raise TimeoutError(LATE)
        try:
            data = read(wanted)
        except OSError:
            data = b""
        if not data or (read == self.stream.read and len(data) < wanted):
            self.is_cut = True
            raise TimeoutError(LATE)
        self.left -= len(data)
        return data


def with_whole_bodies(application: Application) -> Application:
    """Let an application read bodies that are whole, from clients that are not silent for long."""

    def served(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length):
            environ["wsgi.input"] = Body(environ["wsgi.input"], int(length))
            set_patience(environ.get("gunicorn.socket"), settings.SILENCE_SECONDS)
        return application(environ, start_response)

    return served


def set_patience(connection: socket.socket | None, seconds: int) -> None:
    """How long one receive may wait, 0 for ever. A timeout of the socket would concern what is sent too."""
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, 0))
