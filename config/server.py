"""The command of a web server: `python -m config.server --bind 127.0.0.1:8000 --processes 2`.

Several processes share one listening socket; the first one starts the others and starts them again.
"""

from __future__ import annotations

import logging
import resource
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType

from django.conf import settings

from config.front import make_front
from contest.operations.supervisor import Supervisor

logger = logging.getLogger(__name__)

STOP_SECONDS = 30.0
BACKLOG = 2048
BIND_SECONDS = 10.0
THREADS = 4
"""Per process. With more, a burst of uploads shares the processor and all of them are answered late."""
OTHER_FILES = 256
"""Descriptors for everything that is not a client: databases, stores, logs."""


def listening_socket(bind: str) -> socket.socket:
    """A socket at ``host:port``, ``[host]:port`` or ``unix:path``."""
    deadline = time.monotonic() + BIND_SECONDS
    while True:
        try:
            return _bound(bind)
        except OSError as error:
            # A server that was killed may have children that are about to end.
            if time.monotonic() > deadline:
                raise SystemExit(f"Cannot listen on {bind}: {error.strerror}.") from None
            time.sleep(0.2)


def _bound(bind: str) -> socket.socket:
    if bind.startswith("unix:"):
        path = Path(bind.removeprefix("unix:"))
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
    else:
        host, _, port = bind.rpartition(":")
        if not host or not port.isdecimal():
            raise SystemExit(f"--bind must be host:port, [host]:port or unix:path. Got {bind!r} instead.")
        host = host.strip("[]")
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, int(port)))
    listener.listen(BACKLOG)
    return listener


def allowed_connections(wanted: int) -> int:
    """Raise the limit on open files as far as needed. A connection may need two: its socket and its body."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * wanted + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    possible = max(1, (soft - OTHER_FILES) // 2)
    logger.warning(
        "The limit on open files allows %d connections instead of %d; raise it to %d (LimitNOFILE, ulimits).",
        possible, wanted, needed,
    )  # fmt: skip
    return possible


def serve(listener: socket.socket, threads: int) -> None:
    """Serve until a signal comes, then answer what has begun."""
    from config.wsgi import application

    front = make_front(application, listener, threads, allowed_connections(settings.CONNECTIONS))
    stopping: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.append(number)
        front.pull_trigger()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    while not stopping:
        front.turn(1.0)
    front.stop(STOP_SECONDS)


def supervise(listener: socket.socket, processes: int, threads: int) -> None:
    descriptor = listener.fileno()
    command = [sys.executable, "-m", "config.server", "--descriptor", str(descriptor)]
    commands = {f"web {place + 1}": [*command, "--threads", str(threads)] for place in range(processes)}
    Supervisor(commands, descriptors=[descriptor], stop_seconds=STOP_SECONDS + 5).run()


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m config.server", description=__doc__)
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--bind", help="host:port, [host]:port or unix:path")
    place.add_argument("--descriptor", type=int, help="a socket that listens already")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=THREADS)
    given = parser.parse_args(arguments)
    if given.processes < 1 or given.threads < 1:
        parser.error("--processes and --threads must be at least 1")
    listener = listening_socket(given.bind) if given.bind else socket.socket(fileno=given.descriptor)
    if given.processes == 1:
        serve(listener, given.threads)
    else:
        supervise(listener, given.processes, given.threads)


if __name__ == "__main__":
    main()
