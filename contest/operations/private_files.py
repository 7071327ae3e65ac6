"""The files that nobody else on the machine may read: the data folder, the stores, and the database."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection

from contest.operations import readiness

FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def open_to_others() -> Iterator[tuple[Path, int, int]]:
    """Every path that others may read, write or enter, with its mode and the expected one."""
    for path in _paths():
        try:
            found = path.lstat().st_mode
        except OSError:
            continue  # E-mails and temporary files come and go.
        mode = stat.S_IMODE(found)
        if mode & FOR_OTHERS and not stat.S_ISLNK(found):
            yield path, mode, 0o700 if stat.S_ISDIR(found) else 0o600


def close_to_others() -> int:
    """Remove the rights of others; returns how many paths were open. What belongs to another user stays,
    and the doctor names it."""
    closed = 0
    for path, mode, _expected in list(open_to_others()):
        try:
            path.chmod(mode & ~FOR_OTHERS)
            closed += 1
        except OSError:
            continue
    return closed


def _paths() -> Iterator[Path]:
    stores = (storages[alias] for alias in readiness.STORES)
    folders = {settings.VAR, *(Path(it.location) for it in stores if isinstance(it, FileSystemStorage))}
    for folder in sorted(folders):
        yield folder
        for parent, names, files in os.walk(folder):
            yield from (Path(parent, name) for name in (*names, *files))
    if connection.vendor == "sqlite":
        database = str(connection.settings_dict["NAME"])
        yield from (Path(database + suffix) for suffix in ("", "-wal", "-shm", "-journal"))
