"""The files of rows as boxes for verbs. A process shares them, so that a table is parsed once."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import BinaryIO, cast

from contest.files import vault
from contest.files.storage import published
from contest.models import Sealed
from games.contract.boxes import EMPTY, Loading, MemoryBox, NoSuchFile
from games.contract.values import Box

Files = tuple[tuple[str, str], ...]


class StoreBox(Loading):
    """Files that are read where they are stored. A game gets them whole, so it need not close them."""

    def __init__(self, files: Mapping[str, Callable[[], BinaryIO]]) -> None:
        super().__init__()
        self._files = dict(files)

    def names(self) -> Sequence[str]:
        return sorted(self._files)

    def open(self, name: str) -> BinaryIO:
        if name not in self._files:
            raise NoSuchFile(name)
        with self._files[name]() as file:
            return io.BytesIO(file.read())


def public_box(files: Mapping[str, str]) -> Box:
    """Published files, by name and hash."""
    return _public(tuple(sorted(files.items()))) if files else EMPTY


def sealed_box(rows: Sequence[Sealed]) -> Box:
    """Files of the vault."""
    return _sealed(tuple(sorted((row.name, row.sha256) for row in rows))) if rows else EMPTY


@lru_cache(maxsize=32)
def _public(files: Files) -> Box:
    return StoreBox({name: partial(_open_published, sha256) for name, sha256 in files})


@lru_cache(maxsize=32)
def _sealed(files: Files) -> Box:
    return StoreBox({name: partial(vault.open_secret, sha256) for name, sha256 in files})


def _open_published(sha256: str) -> BinaryIO:
    return cast(BinaryIO, published.open(sha256))


def joined(*boxes: Box) -> Box:
    """One box of several; of files with one name the first counts."""
    filled = [box for box in boxes if box.names()]
    if len(filled) < 2:
        return filled[0] if filled else EMPTY
    files: dict[str, Callable[[], BinaryIO]] = {}
    for box in filled:
        for name in box.names():
            files.setdefault(name, partial(box.open, name))
    return StoreBox(files)


__all__ = ["EMPTY", "MemoryBox", "StoreBox", "joined", "public_box", "sealed_box"]
