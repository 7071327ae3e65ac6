"""Starting a run, reading what comes out of it, and ending it when it goes beyond its limits."""

from __future__ import annotations

import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from attacks.sandbox.launch import Launch
from attacks.sandbox.limits import Limits
from attacks.sandbox.log import LogKeeper
from attacks.sandbox.usage import Usage, descendants, tree_usage

PERIOD = 0.05
LOG_FLOOD = 256
"""A program that writes so many times the kept log is ended: reading it would cost the platform."""
REPORT_LINES = 300
END_SECONDS = 10


@dataclass(frozen=True)
class Observation:
    """What was seen of one run. ``stopped`` names the limit for which we ended it, if we did."""

    log: str
    report: bytes
    exit_code: int
    stopped: str | None
    wall_seconds: float
    usage: Usage


class Watch:
    """One run under watch."""

    def __init__(self, launch: Launch, limits: Limits, on_log: Callable[[str], None] | None) -> None:
        self.launch, self.limits = launch, limits
        self.log = LogKeeper(limits.log_bytes, on_log)
        self.report = bytearray()
        self.most_report = limits.output_bytes + 1 + REPORT_LINES
        self.flood = 0
        self.stopped: str | None = None
        self.usage = Usage()

    def run(self) -> Observation:
        self.started = time.monotonic()
        # The environment is never inherited: it holds the platform's secrets.
        process = subprocess.Popen(
            self.launch.argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=self.launch.pass_fds,
            env=dict(self.launch.environment),
            cwd="/",
            start_new_session=True,
        )
        first = None
        try:
            first = self.launch.begin()
            self._read(process)
        except BaseException:
            self.stopped = "error"
            raise
        finally:
            self._end(process, first)
        return Observation(
            log=self.log.text(),
            report=bytes(self.report),
            exit_code=process.returncode,
            stopped=self.stopped,
            wall_seconds=time.monotonic() - self.started,
            usage=self.usage,
        )

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None and process.stderr is not None
        looked = 0.0
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ, self._take_report)
            selector.register(process.stderr, selectors.EVENT_READ, self._take_log)
            while selector.get_map() and not self.stopped:
                for key, _ in selector.select(PERIOD):
                    chunk = os.read(key.fd, 1 << 16)
                    if chunk:
                        key.data(chunk)
                    else:
                        selector.unregister(key.fileobj)
                now = time.monotonic()
                if now - looked >= PERIOD:
                    looked = now
                    self.usage = self.usage.after(tree_usage(process.pid, self.limits.memory_bytes))
                    self.stopped = self._exceeded(now)

    def _take_log(self, chunk: bytes) -> None:
        self.log.add(chunk)
        self.flood += len(chunk)

    def _take_report(self, chunk: bytes) -> None:
        room = self.most_report - len(self.report)
        self.report += chunk[:room]
        self.flood += len(chunk[room:])

    def _exceeded(self, now: float) -> str | None:
        """The limit that is passed, if one is."""
        if now - self.started > self.limits.wall_seconds:
            return "wall"
        if self.usage.cpu_seconds > self.limits.cpu_seconds + 1:
            return "cpu"
        if self.usage.memory_bytes > self.limits.memory_bytes:
            return "memory"
        if self.flood > self.limits.log_bytes * LOG_FLOOD:
            return "log"
        return None

    def _end(self, process: subprocess.Popen[bytes], first: int | None) -> None:
        """Return only when nothing of the run is left, and note what it used in all."""
        if self.launch.end_argv:
            environment = dict(self.launch.environment)
            subprocess.run(self.launch.end_argv, env=environment, capture_output=True, check=False)
        elif first is not None:
            _end_first(first)
        for pid in (process.pid, *descendants(process.pid)) if self.stopped else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.launch.ran_out_of_memory():
            self.stopped = "memory"
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.usage = self.usage.after(Usage(spent.ru_utime + spent.ru_stime, spent.ru_maxrss * 1024))


def _end_first(first: int) -> None:
    """Kill the first process of a process space and wait until it, and so everything in there, is gone."""
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(first, signal.SIGKILL)
    waiting = select.poll()
    waiting.register(first, select.POLLIN)
    waiting.poll(END_SECONDS * 1000)
    os.close(first)
