"""Memory instead of a disk: no test cuts the power of the machine, so none has to wait for its disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil


def folder_in_memory(room: int) -> Path | None:
    """The machine's folder in memory, if it has this many bytes to spare and takes files of every kind."""
    memory = Path("/dev/shm")
    if not memory.is_dir() or not os.access(memory, os.W_OK | os.X_OK):
        return None
    if os.statvfs(memory).f_flag & (os.ST_NODEV | os.ST_NOEXEC):
        return None
    free = min(psutil.virtual_memory().available, shutil.disk_usage(memory).free)
    return memory if free >= room else None
