"""The commands of an installation's processes, without the interpreter that runs them.

`manage.py up`, the tests that start real processes, docker/compose.yaml and docker/systemd/ all start these;
a test compares the files with this module.
"""

from __future__ import annotations

from collections.abc import Iterable

MACHINES: dict[str, tuple[str, ...]] = {
    "checks": ("checks",),
    "scoring": ("scoring", "house"),
    "attacks": ("attacks",),
    "programs": ("programs",),
}
"""Queues by the kind of machine that works on them, so that a slow attack never blocks a check."""


def web(bind: str, *, processes: int = 1, threads: int = 8) -> list[str]:
    return [
        "-m", "config.server", "--bind", bind, "--processes", str(processes), "--threads", str(threads),
    ]  # fmt: skip


def worker(queues: Iterable[str], *, concurrency: int = 2) -> list[str]:
    return [
        "-m", "celery", "--app", "config", "worker", "--queues", ",".join(queues),
        "--concurrency", str(concurrency), "--loglevel", "WARNING",
        "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip


def sweeper() -> list[str]:
    return ["manage.py", "sweep"]
