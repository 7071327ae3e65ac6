"""The control groups of one run: made with its limits, read while it runs, removed when it has ended."""

from __future__ import annotations

import fcntl
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from attacks.sandbox.cgroup import Places
from attacks.sandbox.limits import MIB, Limits
from attacks.sandbox.usage import Usage

PREFIX = "kakurenbo-run-"
OWN_PROCESSES = 6
OWN_BYTES = 8 * MIB
"""What the sandbox needs in the group besides the program: its first process and the shell that reports."""
REMOVAL_SECONDS = 5
TRIES = 5
FILE_PAGES = ("inactive_file", "active_file")
"""Pages of files on disk, such as Python's libraries: the kernel takes them back before a limit hits."""


@dataclass(frozen=True)
class Group:
    """One run's folder by controller; in version 2 all are the same one."""

    folders: dict[str, Path]

    @property
    def each(self) -> list[Path]:
        return list(dict.fromkeys(self.folders.values()))

    def add(self, pid: int) -> None:
        for folder in self.each:
            (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")

    def usage(self) -> Usage:
        """What the group used so far (CPU time) and uses now (memory, tasks)."""
        # The outer process of the sandbox is not in the group; the tree without groups counts it.
        return Usage(self._cpu_seconds(), self._memory(), self._number("pids", "pids.current") + 1)

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel ended a process of the group for its memory."""
        for name in ("memory.events", "memory.oom_control"):
            if self._table("memory", name).get("oom_kill", 0) > 0:
                return True
        return False

    def _cpu_seconds(self) -> float:
        nanoseconds = self._number("cpu", "cpuacct.usage")
        return nanoseconds / 1e9 or self._table("cpu", "cpu.stat").get("usage_usec", 0) / 1e6

    def _memory(self) -> int:
        used = self._number("memory", "memory.current") or self._number("memory", "memory.usage_in_bytes")
        table = self._table("memory", "memory.stat")
        return max(0, used - sum(table.get(name, 0) for name in FILE_PAGES))

    def _number(self, controller: str, name: str) -> int:
        with suppress(OSError, ValueError):
            return int((self.folders[controller] / name).read_text(encoding="ascii"))
        return 0

    def _table(self, controller: str, name: str) -> dict[str, int]:
        with suppress(OSError, ValueError):
            words = (self.folders[controller] / name).read_text(encoding="ascii").split()
            return {key: int(value) for key, value in zip(words[::2], words[1::2], strict=True)}
        return {}


@contextmanager
def run_group(places: Places, limits: Limits) -> Iterator[Group | None]:
    """A fresh group with the limits of a run, removed afterwards; None where there is no place for one."""
    if not places.found:
        yield None
        return
    remove_forgotten(places)
    name = f"{PREFIX}{secrets.token_hex(6)}"
    with ExitStack() as stack:
        made = {parent: stack.enter_context(_made(parent / name)) for parent in set(places.parents.values())}
        group = Group({controller: made[parent] for controller, parent in places.parents.items()})
        for folder in group.each:
            set_limits(folder, limits)
        yield group


def set_limits(folder: Path, limits: Limits) -> None:
    """Write the limits to those of the kernel's files that this folder has.

    Temporary files are memory, so they count as such. The order matters: version 1 refuses a limit of memory
    with swap that is smaller than that of memory alone.
    """
    memory = limits.memory_bytes + OWN_BYTES
    values = {
        "memory.max": memory,
        "memory.swap.max": 0,
        "memory.oom.group": 1,
        "memory.limit_in_bytes": memory,
        "memory.memsw.limit_in_bytes": memory,
        "pids.max": limits.processes + OWN_PROCESSES,
    }
    for name, value in values.items():
        if (folder / name).exists():
            (folder / name).write_text(str(value), encoding="ascii")


def remove_forgotten(places: Places) -> None:
    """Remove the groups of runs whose platform process was killed: nobody holds their lock any more."""
    for parent in set(places.parents.values()):
        for folder in parent.glob(f"{PREFIX}*"):
            with suppress(OSError):
                descriptor = _lock(folder)
                try:
                    _end_all(folder)
                    _remove(folder)
                finally:
                    os.close(descriptor)


def _end_all(folder: Path) -> None:
    for pid in (folder / "cgroup.procs").read_text(encoding="ascii").split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


@contextmanager
def _made(folder: Path) -> Iterator[Path]:
    descriptor = _made_and_locked(folder)
    try:
        yield folder
    finally:
        os.close(descriptor)
        _remove(folder)


def _made_and_locked(folder: Path) -> int:
    """Another run that looks for forgotten groups may take ours before we lock it: then make it again."""
    for _ in range(TRIES):
        folder.mkdir(exist_ok=True)
        with suppress(OSError):
            descriptor = _lock(folder)
            if folder.exists():
                return descriptor
            os.close(descriptor)
    raise OSError(f"The control group {folder} could not be made: another process removes it each time.")


def _lock(folder: Path) -> int:
    """Take a group's lock, or raise `OSError` where a run has it. The kernel frees it if we are killed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove(folder: Path) -> None:
    """The kernel lets a group go only some moments after its last process."""
    deadline = time.monotonic() + REMOVAL_SECONDS
    while folder.exists():
        try:
            folder.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
