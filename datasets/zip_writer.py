"""The one way in which zips are written: their bytes depend on nothing but what is in them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Self

CHUNK = 256 * 1024
UNIX = 3
PRIVATE_FILE = 0o600
"""The permissions that `zipfile` gives to a member by default."""
PLAIN_FILE = 0o100644


class ZipWriter:
    """Adds members in the order of the calls. No member records when or on which system it was written."""

    def __init__(
        self, target: IO[bytes], *, method: int = zipfile.ZIP_DEFLATED, mode: int = PRIVATE_FILE
    ) -> None:
        self.archive = zipfile.ZipFile(target, "w", method)
        self.mode = mode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.archive.close()

    def add(self, name: str, chunks: Iterable[bytes], *, may_be_huge: bool = False) -> None:
        """Add a member; ``may_be_huge`` reserves room for a length that does not fit 32 bits."""
        member = zipfile.ZipInfo(name)  # dated 1980, the earliest time that a zip can hold
        member.compress_type = self.archive.compression
        member.create_system = UNIX
        member.external_attr = self.mode << 16
        with self.archive.open(member, "w", force_zip64=may_be_huge) as stream:
            for chunk in chunks:
                stream.write(chunk)


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    """The rest of a file, in pieces that fit into memory.

    >>> list(chunks_of(io.BytesIO(b"abc")))
    [b'abc']
    """
    return iter(lambda: file.read(CHUNK), b"")


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of plain files, sorted by name.

    >>> zipped({"b": b"2", "a": b"1"}) == zipped({"a": b"1", "b": b"2"})
    True
    """
    packed = io.BytesIO()
    with ZipWriter(packed, mode=PLAIN_FILE) as writer:
        for name in sorted(files):
            writer.add(name, [files[name]])
    return packed.getvalue()
