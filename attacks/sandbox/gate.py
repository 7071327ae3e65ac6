"""Holding bubblewrap at its start until we hold its first inner process.

bwrap ends as soon as the program does, while processes that it left behind may live some moments longer, and
for an instant at the start nothing ties them to us. A descriptor of the first inner process, taken while
bwrap waits, cannot be confused with another process, and when that one is gone the kernel has ended the rest.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

from attacks.sandbox.group import Group


@dataclass(frozen=True)
class First:
    """The first process inside; ``descriptor`` is None on kernels that give none."""

    pid: int
    descriptor: int | None


class Gate:
    """Two pipes: on one bwrap names the process, on the other it waits to continue."""

    def __init__(self, group: Group | None = None) -> None:
        self.group = group

    def __enter__(self) -> Gate:
        self.info_read, self.info_write = os.pipe()
        self.wait, self.go = os.pipe()
        self.open_ends = {self.info_read, self.info_write, self.wait, self.go}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for end in tuple(self.open_ends):
            self._close(end)

    @property
    def words(self) -> tuple[str, ...]:
        return ("--info-fd", str(self.info_write), "--block-fd", str(self.wait))

    @property
    def inherited(self) -> tuple[int, ...]:
        return (self.info_write, self.wait)

    def meet(self) -> First | None:
        """The first process, which waits and is counted from now on; None if bwrap gave up."""
        for end in self.inherited:
            self._close(end)
        text = b""
        while piece := os.read(self.info_read, 4096):
            text += piece
            if text.rstrip().endswith(b"}"):
                break
        if not text:
            return None
        pid = int(json.loads(text)["child-pid"])
        descriptor = None
        # Kernels before 5.3 lack this; there the end of bwrap ends the rest, if a little later.
        with suppress(OSError):
            descriptor = os.pidfd_open(pid)
        if self.group:
            self.group.add(pid)
        return First(pid, descriptor)

    def open(self) -> None:
        """Let the run begin."""
        self._close(self.go)

    def _close(self, end: int) -> None:
        if end in self.open_ends:
            self.open_ends.remove(end)
            os.close(end)
