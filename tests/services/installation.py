"""Real worker and sweeper processes on the database and the broker of the running tests."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection

from contest.operations import processes
from tests.conftest import ROOT

FAST = {"KAKURENBO_JOB_LEASE_SECONDS": "2", "KAKURENBO_JOB_RING_SECONDS": "2", "KAKURENBO_SWEEP_SECONDS": "1"}


def environment(**extra: str) -> dict[str, str]:
    """The environment in which another process works on the database that this test uses."""
    return {
        **os.environ,
        **FAST,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "KAKURENBO_VAR": str(settings.VAR),
        "KAKURENBO_DATABASE_URL": database_url(),
        "KAKURENBO_BROKER_URL": settings.CELERY_BROKER_URL,
        "KAKURENBO_QUEUE_PREFIX": settings.QUEUE_PREFIX,
        "KAKURENBO_LOG_LEVEL": "WARNING",
        **extra,
    }


def database_url() -> str:
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    return f"postgresql://{found['USER']}:{found['PASSWORD']}@{found['HOST']}:{found['PORT']}/{found['NAME']}"


class Processes:
    """Starts processes and makes sure that none is left when the test ends."""

    def __init__(self, **extra: str) -> None:
        self.extra = extra
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, env=environment(**self.extra), start_new_session=True
        )
        self.running.append(process)
        return process

    def start_worker(self, concurrency: int = 1) -> subprocess.Popen[bytes]:
        # `make load` and `make chaos` use this module without Django.
        from contest.jobs.queues import queue_names

        return self.start(*processes.worker(queue_names(), concurrency=concurrency))

    def start_workers_of_one_machine(self, concurrency: int = 1) -> None:
        """The workers that `manage.py up` starts."""
        from django.conf import settings

        prefix = settings.QUEUE_PREFIX
        for command in processes.workers_of_one_machine(prefix, concurrency=concurrency).values():
            self.start(*command)

    def start_sweeper(self) -> subprocess.Popen[bytes]:
        return self.start(*processes.sweeper())

    def start_web(self, port: int) -> subprocess.Popen[bytes]:
        return self.start(*processes.web(f"127.0.0.1:{port}"))

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """kill -9 of the process and of all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.running = [other for other in self.running if other is not process]

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *args: Any) -> None:
        for process in list(self.running):
            self.kill(process)


def wait_for(condition: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait until something holds. The limit only bounds a hanging test; nothing is measured by it."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
