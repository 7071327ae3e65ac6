"""Keeps child processes running: starts them, starts them again when they die, stops them all together.

A child that has an end, such as the play of the demo's teams, is left alone once it has ended normally.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

logger = logging.getLogger(__name__)

PR_SET_PDEATHSIG = 1
STOP_SECONDS = 15.0
QUICK_DEATH_SECONDS = 3.0


@dataclass
class Child:
    name: str
    command: Sequence[str]
    has_an_end: bool = False
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    next_start: float = 0.0
    quick_deaths: int = 0
    is_done: bool = False


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Runs in the child: it gets this signal when its parent ends, so that it cannot outlive it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


class Supervisor:
    """Runs commands side by side until a signal comes. Call `run` from the main thread."""

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        on_tick: Callable[[], None] | None = None,
        with_an_end: Collection[str] = (),
        descriptors: Collection[int] = (),
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self.children = [Child(name, command, name in with_an_end) for name, command in commands.items()]
        self.on_tick = on_tick
        self.descriptors = descriptors
        self.stop_seconds = stop_seconds
        self.stopping = False

    def run(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        try:
            while not self.stopping:
                for child in self.children:
                    self._look_after(child)
                if self.on_tick:
                    self.on_tick()
                time.sleep(0.2)
        finally:
            self._stop_all()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _look_after(self, child: Child) -> None:
        if child.is_done:
            return
        now = time.monotonic()
        if child.process is not None:
            code = child.process.poll()
            if code is None:
                return
            if code == 0 and child.has_an_end:
                child.process, child.is_done = None, True
                return
            lived = now - child.started
            child.quick_deaths = child.quick_deaths + 1 if lived < QUICK_DEATH_SECONDS else 0
            # A child that dies at once is started again more and more slowly, so that its error can be read.
            child.next_start = now + min(30.0, 2.0**child.quick_deaths - 1)
            child.process = None
            logger.warning("%s ended with code %s after %.1f s; starting it again", child.name, code, lived)
        if now >= child.next_start:
            child.process = subprocess.Popen(
                list(child.command),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=self.descriptors,
                preexec_fn=die_with_parent,  # single-threaded here
            )
            child.started = now

    def _stop_all(self) -> None:
        running = [child.process for child in self.children if child.process and child.process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + self.stop_seconds
        for process in running:
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
