"""Files named by their content: the same bytes are stored once, and a half-written file is never seen."""

from __future__ import annotations

import errno
import hashlib
import io
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn, cast

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.utils.translation import gettext as _

from contest.errors import NO_ROOM, Refused, StoreUnavailable
from datasets.samples import size_of

logger = logging.getLogger(__name__)

CHUNK = 256 * 1024
CANNOT_BE_WRITTEN = NO_ROOM | {errno.EACCES, errno.EPERM, errno.EFBIG, errno.EIO}


class AtomicFileStorage(FileSystemStorage):
    """Django's file storage, but a file appears under its name only when all of it is on the disk."""

    def _save(self, name: str, content: File[Any]) -> str:
        target = Path(self.path(name))
        # The mode of mkdir is for the last folder only, and the store itself is nobody else's business too.
        Path(self.location).mkdir(parents=True, exist_ok=True, mode=0o700)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                for chunk in content.chunks(CHUNK):
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return name

    def is_writable(self) -> bool:
        try:
            Path(self.location).mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=self.location):
                return True
        except OSError:
            return False

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        # The name is the content's hash: writing it twice writes the same bytes.
        return name


class ClosedStorage(Storage):
    """Replaces a store that this machine must not use: opening it is refused."""

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise PermissionError("This store is closed on this machine (KAKURENBO_ROLE).")

    _open = _save = exists = delete = listdir = size = path = url = _refuse


@dataclass(frozen=True)
class Stored:
    sha256: str
    size: int


def _too_large(size: int | None, max_bytes: int) -> Refused:
    """Names the size beside the limit, where it can be known without reading all of it."""
    if size is None:
        text = _("The upload is larger than the limit of %(max_bytes)s bytes.")
        return Refused("file-too-large", text % {"max_bytes": f"{max_bytes:,}"})
    text = _("The upload has %(size)s bytes; at most %(max_bytes)s are allowed.")
    return Refused("file-too-large", text % {"size": f"{size:,}", "max_bytes": f"{max_bytes:,}"})


class ContentStore:
    """A store of files by sha256 on one of Django's storages."""

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def put(self, file: IO[bytes], max_bytes: int | None = None) -> Stored:
        """Store a stream; refuse it as soon as it is longer than allowed."""
        try:
            return self._put(file, max_bytes)
        except OSError as error:
            if error.errno in CANNOT_BE_WRITTEN:
                raise StoreUnavailable(
                    f"The store {self.alias} cannot be written: {error.strerror}."
                ) from error
            raise

    def _put(self, file: IO[bytes], max_bytes: int | None) -> Stored:
        with tempfile.TemporaryFile() as staged:
            digest = hashlib.sha256()
            size = 0
            for chunk in _chunks(file):
                size += len(chunk)
                if max_bytes is not None and size > max_bytes:
                    raise _too_large(size_of(cast(BinaryIO, file)), max_bytes)
                digest.update(chunk)
                staged.write(chunk)
            staged.seek(0)
            stored = Stored(digest.hexdigest(), size)
            storage = storages[self.alias]
            if not storage.exists(_name(stored.sha256)):
                storage.save(_name(stored.sha256), File(staged))
        return stored

    def open(self, sha256: str) -> IO[bytes]:
        opened: IO[bytes] = storages[self.alias].open(_name(sha256), "rb")
        return opened

    def exists(self, sha256: str) -> bool:
        return storages[self.alias].exists(_name(sha256))

    def is_intact(self, sha256: str) -> bool:
        """Whether the file is there and its bytes still have the hash that is its name."""
        if not self.exists(sha256):
            return False
        digest = hashlib.sha256()
        with self.open(sha256) as file:
            for chunk in _chunks(file):
                digest.update(chunk)
        return digest.hexdigest() == sha256


def open_made(name: str, make: Callable[[], bytes]) -> IO[bytes]:
    """A file that can be made again at any time. Its name must say everything that it is made of."""
    storage = storages["default"]
    if not storage.exists(name):
        content = make()
        try:
            storage.save(name, ContentFile(content))
        except OSError as error:
            if error.errno not in CANNOT_BE_WRITTEN:
                raise
            # Nothing is lost: it is handed out as it was made, and made again for the next request.
            logger.warning("%s cannot be stored: %s", name, error.strerror)
            return io.BytesIO(content)
    opened: IO[bytes] = storage.open(name, "rb")
    return opened


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


submitted = ContentStore("attacks")
"""Programs and guesses that teams hand in: theirs and the judge's, never public."""
published = ContentStore("entries")
"""M and T of the data sets, M′ and T′ of the entries: what attackers may read."""
