"""gunicorn's worker with threads, of which nobody can hold one for ever by sending slowly.

gunicorn's own timeout watches the process, not its threads. Whoever sends a header or a body byte by byte
would keep a thread for as long as he likes; a few of them would keep all.

A process also takes no more requests than it has threads: the rest wait where another process finds them.
"""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Any

from django.conf import settings
from gunicorn.workers.gthread import ThreadWorker

from config.bodies import set_patience


class PatientWorker(ThreadWorker):
    """Stops listening to a connection whose request has not come in time; it can still be answered.

    A request that is complete is not harmed: nothing more of it is to be read.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.begun: dict[Any, float] = {}

    @property
    def worker_connections(self) -> int:
        """How many connections may be held now: those that ask for nothing, and one a thread."""
        silent = len(self.keepalived_conns) + len(self.pending_conns)
        return min(self.most_connections, silent + int(self.cfg.threads))

    @worker_connections.setter
    def worker_connections(self, most: int) -> None:
        self.most_connections = most

    def handle(self, conn: Any) -> Any:
        self.begun[conn] = time.monotonic()
        try:
            set_patience(conn.sock, 0)
            return super().handle(conn)
        finally:
            del self.begun[conn]

    def notify(self) -> None:
        """Called by the main loop about once a second."""
        super().notify()
        late = time.monotonic() - settings.REQUEST_SECONDS
        for conn, begun in list(self.begun.items()):
            if begun < late:
                with contextlib.suppress(OSError):
                    conn.sock.shutdown(socket.SHUT_RD)
