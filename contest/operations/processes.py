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
ONE_MACHINE: dict[str, tuple[str, ...]] = {
    "checks": ("checks",),
    "scoring": ("scoring", "house", "attacks"),
    "programs": ("programs",),
}
"""The same where one machine does everything. A program of a team may sleep until its limit, and the house's
own work may be long: neither keeps a check waiting, and no program keeps a score waiting."""


def web(bind: str, *, processes: int = 1, threads: int | None = None) -> list[str]:
    """``threads`` of each process, where the server's own choice is not wanted."""
    command = ["-m", "config.server", "--bind", bind, "--processes", str(processes)]
    return command if threads is None else [*command, "--threads", str(threads)]


def worker(queues: Iterable[str], *, concurrency: int = 2) -> list[str]:
    return [
        "-m", "celery", "--app", "config", "worker", "--queues", ",".join(queues),
        "--concurrency", str(concurrency), "--loglevel", "WARNING",
        "--without-gossip", "--without-mingle", "--without-heartbeat",
    ]  # fmt: skip


def workers_of_one_machine(prefix: str, *, concurrency: int = 2) -> dict[str, list[str]]:
    """The workers of `manage.py up`, by name; checks are short, so that one process is enough for them."""
    return {
        f"{name} worker": worker(
            [prefix + queue for queue in queues], concurrency=1 if name == "checks" else concurrency
        )
        for name, queues in ONE_MACHINE.items()
    }


def sweeper() -> list[str]:
    return ["manage.py", "sweep"]
