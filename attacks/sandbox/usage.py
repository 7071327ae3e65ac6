"""What a tree of processes uses, read from /proc: CPU time, memory, number of tasks."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Usage:
    """Use of a whole tree; as a record over time, the largest of each."""

    cpu_seconds: float = 0.0
    memory_bytes: int = 0
    tasks: int = 0

    def after(self, later: Usage) -> Usage:
        return Usage(
            max(self.cpu_seconds, later.cpu_seconds),
            max(self.memory_bytes, later.memory_bytes),
            max(self.tasks, later.tasks),
        )


def descendants(pid: int) -> list[int]:
    """All living processes below one. Orphans are below the first process of their space: none is missed."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for task in _listing(Path(f"/proc/{parent}/task")):
            with suppress(OSError):
                children = [int(word) for word in (task / "children").read_bytes().split()]
                found += children
                waiting += children
    return found


class Tree:
    """What a process and everything below it use, where no control group counts it.

    A process knows the time of those children for which it waited. What each process was seen to use is kept
    beside that, so that time is not forgotten with children for which nobody waits. Both are parts of what
    was used, so the larger one counts.
    """

    def __init__(self, memory_limit: int) -> None:
        self.memory_limit = memory_limit
        self.seen: dict[tuple[int, bytes], int] = {}

    def look(self, pid: int) -> Usage:
        """The use up to now.

        Resident memory counts what processes share once for each. Only where that sum passes the limit is the
        more expensive, exact share of each process read.
        """
        pids = [pid, *descendants(pid)]
        ticks, pages, tasks = 0, 0, 0
        for each in pids:
            with suppress(OSError, ValueError, IndexError):
                # The name in brackets may hold spaces and brackets; the numbers follow the last one.
                words = Path(f"/proc/{each}/stat").read_bytes().rpartition(b")")[2].split()
                ticks += sum(int(word) for word in words[11:15])
                # A number may be given again; with the moment of its start it is unique.
                self.seen[each, words[19]] = int(words[11]) + int(words[12])
                tasks += int(words[17])
                pages += int(words[21])
        memory = pages * PAGE
        if memory > self.memory_limit:
            memory = sum(_share(each) for each in pids)
        return Usage(max(ticks, sum(self.seen.values())) / TICKS, memory, tasks)


def _share(pid: int) -> int:
    """Proportional set size of one process; its resident size where the kernel does not report it."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * PAGE
    return 0


def _listing(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
