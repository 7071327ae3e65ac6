"""Control groups as one more layer, where the organiser hands a folder of them to the platform.

The environment variable names the folder (control groups v2), or several joined by ``:`` (v1, one a
controller). It must be empty of processes and writable for us, with its controllers switched on for what lies
below. Unlike the watcher the kernel then counts every page, temporary files included, at the moment of use.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attacks.sandbox.limits import MIB, Limits

VARIABLE = "KAKURENBO_CGROUP"
SHARED_MEMORY_BYTES = 16 * MIB
OWN_PROCESSES = 6
REMOVAL_SECONDS = 5


def lacking() -> str | None:
    """A sentence on why the folders that were named cannot be used, or None."""
    for folder in _parents():
        if not (folder / "cgroup.procs").exists() or not os.access(folder, os.W_OK):
            return f"{VARIABLE} names {folder}, which is no control group that this user may divide."
    return None


@contextmanager
def own_groups(limits: Limits) -> Iterator[list[Path]]:
    """Fresh groups for one run, with its limits; removed afterwards. None where none was named."""
    groups = [parent / f"kakurenbo-{secrets.token_hex(6)}" for parent in _parents()]
    try:
        for group in groups:
            group.mkdir()
            set_limits(group, limits)
        yield groups
    finally:
        for group in groups:
            _remove(group)


def set_limits(group: Path, limits: Limits) -> None:
    """Write the limits to those of the kernel's files that this group has."""
    # Files in /tmp, /out and /dev/shm count as memory here.
    memory = limits.memory_bytes + 2 * limits.scratch_bytes + SHARED_MEMORY_BYTES
    values = {
        "memory.max": memory,
        "memory.swap.max": 0,
        "memory.oom.group": 1,
        "memory.limit_in_bytes": memory,
        "memory.memsw.limit_in_bytes": memory,
        "pids.max": limits.processes + OWN_PROCESSES,
    }
    for name, value in values.items():
        if (group / name).exists():
            (group / name).write_text(str(value), encoding="ascii")


def ran_out_of_memory(groups: list[Path]) -> bool:
    """Whether the kernel ended a process of these groups for its memory."""
    for group in groups:
        for name in ("memory.events", "memory.oom_control"):
            with suppress(OSError):
                words = (group / name).read_text(encoding="ascii").split()
                if "oom_kill" in words and words[words.index("oom_kill") + 1] != "0":
                    return True
    return False


def _parents() -> list[Path]:
    return [Path(name) for name in os.environ.get(VARIABLE, "").split(":") if name]


def _remove(group: Path) -> None:
    """The kernel lets a group go only some moments after its last process."""
    deadline = time.monotonic() + REMOVAL_SECONDS
    while group.exists():
        try:
            group.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
