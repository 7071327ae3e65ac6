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

from attacks.sandbox.launch import Begun, Launch
from attacks.sandbox.limits import Limits
from attacks.sandbox.log import LogKeeper
from attacks.sandbox.usage import Tree, Usage, descendants

PERIOD = 0.05
LOG_FLOOD = 256
"""A program that writes this many times the kept log is ended: reading it would cost the platform."""
REPORT_LINES = 300
CPU_GRACE = 1
"""Seconds of CPU time between the kernel's first signal to a process and the end of the run."""
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
        self.tree = Tree(limits.memory_bytes)
        self.begun = Begun()

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
        try:
            self.begun = self.launch.begin()
            self._read(process)
        except BaseException:
            self.stopped = "error"
            raise
        finally:
            self._end(process)
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
                    self.usage = self.usage.after(self._used(process.pid))
                    self.stopped = self._exceeded(now)

    def _used(self, pid: int) -> Usage:
        return self.launch.group.usage() if self.launch.group else self.tree.look(pid)

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
        if self._too_much_cpu():
            return "cpu"
        if self._too_much_memory():
            return "memory"
        if self.flood > self.limits.log_bytes * LOG_FLOOD:
            return "log"
        # Where the kernel limits the number of files itself, it is reached and never passed.
        if self.begun.scratch and self.begun.scratch.files() > self.limits.files:
            return "files"
        return None

    def _too_much_cpu(self) -> bool:
        return self.usage.cpu_seconds > self.limits.cpu_seconds + CPU_GRACE

    def _too_much_memory(self) -> bool:
        """The kernel enforces a group's limit; it ends one process, and we end the others."""
        if self.launch.group:
            return self.launch.group.ran_out_of_memory()
        return self.usage.memory_bytes > self.limits.memory_bytes

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Return only when nothing of the run is left, and note what it used in all."""
        if self.launch.end_argv:
            environment = dict(self.launch.environment)
            subprocess.run(self.launch.end_argv, env=environment, capture_output=True, check=False)
        elif self.begun.first is not None:
            _end_first(self.begun.first)
        for pid in (process.pid, *descendants(process.pid)) if self.stopped else ():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.launch.group:
            self.usage = self.usage.after(self.launch.group.usage())
            if self.stopped != "error" and self._too_much_memory():
                self.stopped = "memory"
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        process.stderr.close()
        _, status, spent = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.usage = self.usage.after(Usage(spent.ru_utime + spent.ru_stime, spent.ru_maxrss * 1024))
        if self.stopped is None and self._too_much_cpu():
            self.stopped = "cpu"


def _end_first(first: int) -> None:
    """Kill the first process of a process space and wait until it, and so everything in there, is gone."""
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(first, signal.SIGKILL)
    waiting = select.poll()
    waiting.register(first, select.POLLIN)
    waiting.poll(END_SECONDS * 1000)
    os.close(first)
