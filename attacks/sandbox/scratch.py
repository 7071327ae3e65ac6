"""How many files a run makes in its private folders: limited by the kernel where we may, else watched.

Each file takes kernel memory even if it is empty, and bubblewrap limits the bytes of a folder only.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDERS = ("/tmp", "/out", "/dev/shm")  # noqa: S108 -- the private ones inside the sandbox
READY_SECONDS = 10
FSCONFIG, FSPICK = 431, 433
"""System calls with the same number on every architecture."""
CLOSE_ON_EXEC, EMPTY_PATH = 1, 8
SET_STRING, RECONFIGURE = 1, 7


class Scratch:
    """The private folders of a run, held by descriptors, so that no other folder can replace them."""

    def __init__(self, descriptors: list[int]) -> None:
        self.descriptors = descriptors

    def limit(self, files: int) -> bool:
        """Let the kernel refuse more files; False where this user may not set that."""
        return all(
            _reconfigure(descriptor, b"nr_inodes", str(files).encode()) for descriptor in self.descriptors
        )

    def files(self) -> int:
        """The number of files in the folder that has most, with links and attributes as the kernel counts."""
        counted = [os.fstatvfs(descriptor) for descriptor in self.descriptors]
        return max((it.f_files - it.f_ffree for it in counted), default=0)


@contextmanager
def scratch_of(pid: int, program: Path) -> Iterator[Scratch]:
    """The private folders that a waiting process has, as soon as it has laid them out.

    They are there when the process sees the run's own program folder: before that its root is still ours.
    """
    root = Path(f"/proc/{pid}/root")
    deadline = time.monotonic() + READY_SECONDS
    while not _same(root / "program", program):
        if time.monotonic() > deadline or not root.parent.exists():
            yield Scratch([])
            return
        time.sleep(0.001)
    descriptors: list[int] = []
    try:
        with suppress(OSError):
            for folder in FOLDERS:
                descriptors.append(os.open(f"{root}{folder}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
        yield Scratch(descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samestat(one.stat(), other.stat())
    except OSError:
        return False


def _reconfigure(folder: int, key: bytes, value: bytes) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    picked = libc.syscall(FSPICK, folder, b"", CLOSE_ON_EXEC | EMPTY_PATH)
    if picked < 0:
        return False
    try:
        if libc.syscall(FSCONFIG, picked, SET_STRING, key, value, 0) < 0:
            return False
        return bool(libc.syscall(FSCONFIG, picked, RECONFIGURE, None, None, 0) == 0)
    finally:
        os.close(picked)
