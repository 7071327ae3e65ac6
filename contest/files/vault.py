"""The only code that opens uploads and truths. Views write uploads here and never hand them out again."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, BinaryIO, cast

import numpy as np

from contest.files.storage import ContentStore, Stored
from contest.models import Sealed
from contest.models.sealed import TRUTH
from datasets.zip_writer import ZipWriter, chunks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contest.models import Entry, TeamOrder
    from datasets.tables import Integers

_store = ContentStore("vault")


def keep_archive(file: IO[bytes], max_bytes: int) -> Stored:
    """Store a team's zip as it came."""
    return _store.put(file, max_bytes)


def keep_parts(parts: Mapping[str, IO[bytes]], max_bytes: int) -> Stored:
    """Store files that came one by one as one archive, so that all uploads go the same way afterwards."""
    return _store.put(zip_of(parts), max_bytes)


def zip_of(parts: Mapping[str, IO[bytes]]) -> IO[bytes]:
    """Files that came one by one, as one archive."""
    archive = io.BytesIO()
    with ZipWriter(archive, method=zipfile.ZIP_STORED) as writer:
        for name in sorted(parts):
            writer.add(name, chunks_of(parts[name]))
    archive.seek(0)
    return archive


@contextmanager
def upload_of(entry: Entry) -> Iterator[BinaryIO]:
    with _store.open(entry.upload_sha256) as file:
        yield cast(BinaryIO, file)


def keep_truth(truth: Integers) -> Stored:
    text = "".join(f"{row + 1}\n" for row in truth.tolist())
    return _store.put(io.BytesIO(text.encode("ascii")))


def truth_of(entry: Entry) -> Integers:
    with _store.open(truth_name(entry)) as file:
        return np.array(file.read().split(), dtype=np.int64) - 1


def truth_name(entry: Entry) -> str:
    """The hash of an entry's truth; empty where it has none."""
    found = Sealed.objects.filter(entry=entry, name=TRUTH).values_list("sha256", flat=True).first()
    return found or ""


def keep_secret(content: bytes) -> Stored:
    """Store a secret file that a game has made."""
    return _store.put(io.BytesIO(content))


def open_secret(sha256: str) -> BinaryIO:
    """A secret file of a game, for the verbs that may see it."""
    return cast(BinaryIO, _store.open(sha256))


def keep_game(file: IO[bytes], max_bytes: int) -> Stored:
    """Store the zip of an uploaded game, which may hold secrets of its contest."""
    return _store.put(file, max_bytes)


def open_game(sha256: str) -> BinaryIO:
    return cast(BinaryIO, _store.open(sha256))


def open_upload(entry: Entry) -> BinaryIO:
    """What a team handed in, for the team; `access` decides who may read it."""
    return cast(BinaryIO, _store.open(entry.upload_sha256))


def open_order(order: TeamOrder) -> BinaryIO:
    """What the house made for a team; `access` decides who may read it."""
    return cast(BinaryIO, _store.open(order.file_sha256))


def is_intact(sha256: str) -> bool:
    """Whether a file of the vault is there and still has its hash; reveals nothing else about it."""
    return _store.is_intact(sha256)


def exists(sha256: str) -> bool:
    """Whether there is a file of this name; nothing else is revealed."""
    return _store.exists(sha256)


def open_for_archive(sha256: str) -> IO[bytes]:
    """A file as it is, for the archive of a contest and for backups; their readers may see it."""
    return _store.open(sha256)


def keep_archived(file: IO[bytes]) -> Stored:
    """Take a file back out of an archive whose hashes were verified."""
    return _store.put(file)
