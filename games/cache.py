"""What calls of verbs gave, by the hashes of everything that they were given.

The same game with the same files, parameters and seed gives the same answer, so a call that was made before
need not be made again. A stored answer is read with the same checks as a new one.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

CONTRACT = "1"
"""Changes when the same call may be answered in another way."""
KEY = re.compile(r"[0-9a-f]{64}")
PART = "part-"
"""How the names of unfinished answers begin."""
FORGOTTEN_SECONDS = 3600
"""An unfinished answer that is older was left by a process that was killed."""


class Answers(Protocol):
    """A memory of answers by key."""

    def fetch(self, key: str, folder: Path) -> bool:
        """Copy a known answer into an empty folder; False where there is none."""

    def keep(self, key: str, folder: Path) -> None:
        """Remember the files of a folder as an answer."""


def key_of(identity: str, inside: Path) -> str:
    """The key of a call: of the game, the verb, every argument and file, the parameters and the seed.

    All but the game are in the folder of the call, byte by byte.
    """
    digest = hashlib.sha256(f"{CONTRACT}\0{identity}\0".encode())
    for path in sorted(path for path in inside.rglob("*") if path.is_file()):
        digest.update(path.relative_to(inside).as_posix().encode() + b"\0" + _hash_of(path))
    return digest.hexdigest()


def _hash_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class FolderAnswers:
    """Answers in folders of a folder, up to a number of bytes; those not asked for longest go first."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder, self.most_bytes = folder, most_bytes
        folder.mkdir(parents=True, exist_ok=True)

    def fetch(self, key: str, folder: Path) -> bool:
        place = self._place(key)
        try:
            os.utime(place)
            shutil.copytree(place, folder, symlinks=True, dirs_exist_ok=True)
        except OSError:
            # Somebody else may have removed it meanwhile: then it is not known.
            for left in folder.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            return False
        return True

    def keep(self, key: str, folder: Path) -> None:
        """A reader sees a whole answer or none: it is renamed to its place when it is complete."""
        size = _size_of(folder)
        if size > self.most_bytes:
            return
        part = Path(tempfile.mkdtemp(prefix=PART, dir=self.folder))
        shutil.copytree(folder, part, symlinks=True, dirs_exist_ok=True)
        try:
            part.rename(self._place(key))
        except OSError:
            # It is there already, and equal.
            shutil.rmtree(part)
        self._make_room()

    def _place(self, key: str) -> Path:
        if not KEY.fullmatch(key):
            raise ValueError(f"{key!r} is no key.")
        return self.folder / key

    def _make_room(self) -> None:
        for part in self.folder.glob(f"{PART}*"):
            with suppress(OSError):
                if part.stat().st_mtime < time.time() - FORGOTTEN_SECONDS:
                    shutil.rmtree(part)
        places = [path for path in self.folder.iterdir() if KEY.fullmatch(path.name)]
        sizes: dict[Path, int] = {}
        times: dict[Path, int] = {}
        for place in places:
            with suppress(OSError):
                times[place] = place.stat().st_mtime_ns
                sizes[place] = _size_of(place)
        left = sum(sizes.values())
        for place in sorted(sizes, key=lambda place: (times[place], place.name)):
            if left <= self.most_bytes:
                return
            left -= sizes[place]
            shutil.rmtree(place, ignore_errors=True)


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
