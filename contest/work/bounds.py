"""Bounds on the time and the memory of work that teams give the house; it runs in the worker itself."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/proc/self/statm")


class TookTooLong(Exception):
    """The work has used up its time."""


@contextmanager
def bounded(seconds: float, more_bytes: int) -> Iterator[None]:
    """Raise `TookTooLong` or `MemoryError` in work that takes longer, or more memory than there is now."""
    with _timed(seconds), _memory_bound(more_bytes):
        yield


@contextmanager
def _timed(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        # Only a main thread gets signals; workers do their jobs in it.
        yield
        return

    def stop(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _memory_bound(more_bytes: int) -> Iterator[None]:
    if not MEMORY.exists():
        yield
        return
    used = int(MEMORY.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = used + more_bytes
    allowed = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([wanted, *allowed]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
