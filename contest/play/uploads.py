"""Uploads as boxes: a zip of the declared files, or the one file there is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import BinaryIO

from datasets.archive import Limits, open_upload
from datasets.archive_tree import read_tree
from datasets.remarks import Remark
from games.contract.boxes import MemoryBox
from games.contract.declaration import Declaration, File
from games.contract.files import plain_files

MIB = 1 << 20
MOST_BYTES = 512 * MIB
"""Of one upload, whatever its files declare."""
ARCHIVE_BYTES = MIB
"""More than a zip adds to what is in it."""
UNPACKED, MEMBERS = 4, 10_000
"""How many times its size a file that is a zip may unpack to, and into how many files."""


def entry_files(declared: Declaration, slot: str) -> dict[str, File]:
    """The files of an entry by name."""
    return {name: file for file in declared.files_of("entry", "upload") for name in file.names(slot=slot)}


def answer_files(declared: Declaration, keys: Sequence[str]) -> dict[str, File]:
    """The files of an answer to some targets by name."""
    return {name: file for file in declared.files_of("answer", "upload") for name in file.names(tuple(keys))}


def most_bytes(files: dict[str, File]) -> int:
    """How large an upload of these files may be."""
    return min(MOST_BYTES, sum(file.max_bytes for file in files.values()) + ARCHIVE_BYTES)


class UploadBox(MemoryBox):
    """The files of an upload, and how they were read where they are odd."""

    remarks: tuple[Remark, ...] = ()


def upload_box(upload: BinaryIO, files: dict[str, File]) -> UploadBox:
    """The files of an upload; `ArchiveError` says everything that is wrong with it."""
    contents, remarks = _contents(upload, files)
    return plain_box(files, contents, remarks)


def plain_box(
    files: dict[str, File], contents: dict[str, bytes], remarks: Iterable[Remark] = ()
) -> UploadBox:
    """Files of an upload, each in the plain form of what it means."""
    plain, rewritten = plain_files(files, contents)
    box = UploadBox(plain)
    box.remarks = (*remarks, *rewritten)
    return box


def _contents(upload: BinaryIO, files: dict[str, File]) -> tuple[dict[str, bytes], tuple[Remark, ...]]:
    largest = max((file.max_bytes for file in files.values()), default=MIB)
    if len(files) == 1 and (name := next(iter(files))).endswith(".zip"):
        return _one_zip(upload, name, largest), ()
    limits = Limits(file_bytes=largest, total_bytes=most_bytes(files), members=max(1000, 2 * len(files)))
    if any("/" in name for name in files):
        return read_tree(upload, limits), ()
    opened = open_upload(upload, list(files), limits, ignore_others=True)
    try:
        return {name: file.read() for name, file in opened.items()}, opened.remarks
    finally:
        for file in opened.values():
            file.close()


def _one_zip(upload: BinaryIO, name: str, largest: int) -> dict[str, bytes]:
    """The one file is a zip itself, so the upload is that file; refused where it cannot be read."""
    read_tree(upload, Limits(file_bytes=largest, total_bytes=UNPACKED * largest, members=MEMBERS), name)
    upload.seek(0)
    return {name: upload.read()}
