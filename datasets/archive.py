"""Opening an upload: a zip of the wanted files, or one of them alone, plain or gzipped.

Nothing is ever unpacked to a path that the archive names, and no size that it states is believed: bytes are
counted while they come out, and counting stops at the limit.
"""

from __future__ import annotations

import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, cast

from datasets.diagnosis import too_large
from datasets.file_kinds import SAVE_FROM_EXCEL, packed_kind, workbook_of
from datasets.messages import Message, Template
from datasets.problems import BadFiles, Findings, shown
from datasets.remarks import Remark

CHUNK = 256 * 1024
GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
NESTED = (*ZIP, GZIP, b"BZh", b"\xfd7zXZ\x00", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd")
END_OF_DIRECTORY, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x07"
LONGEST_END = 22 + 65535
DIRECTORY_ENTRY = 400
"""Bytes that the directory of an archive needs per member, with a name longer than any of ours."""
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises on a damaged archive."""
SMALL = 1024 * 1024
"""Up to this many bytes any ratio is fine."""
MEMBERS_NAMED = 5
JUNK = (".ds_store", "thumbs.db", "desktop.ini")

CORRUPT = Template("corrupt-archive", "an archive that is whole; pack it again")
NOT_A_ZIP = Template("not-a-zip", "a zip archive of %(names)s")
ZIP64 = Template("zip64", "a plain zip; nothing legal is so large that it needs the 64-bit form")
TOO_MANY_MEMBERS = Template("too-many-members", "at most %(n)s members")
MEMBERS = Template("got.members", "%(n)s members")
UNKNOWN_MEMBER = Template("unknown-member", "only %(names)s")
DUPLICATE_MEMBER = Template("duplicate-member", "%(name)s once")
SEVERAL_FOLDERS = Template("several-folders", "all files in one folder")
BAD_PATH = Template("bad-path", "a plain file name, without '..', '\\', ':' or a leading '/'")
NOT_A_FILE = Template("not-a-file", "a regular file, no link and no device")
ENCRYPTED = Template("encrypted", "a file that is not encrypted")
COMPRESSION_METHOD = Template("compression-method", "a member stored or deflated")
NESTED_ARCHIVE = Template("nested-archive", "a CSV file, not an archive in an archive")
OTHERS_IGNORED = Template(
    "others-ignored", "The archive holds %(n)s other files, which were ignored: %(names)s."
)
OTHER_NAME = Template("other-name", "%(got)s was read as %(name)s.")
TOO_LARGE = Template("too-large.unpacked", "at most %(n)s bytes when unpacked")


class Opened(dict[str, BinaryIO]):
    """The files of an upload by name, and how it was read where it is odd."""

    remarks: tuple[Remark, ...] = ()


class CorruptArchive(Exception):
    """The bytes of an archive make no sense."""


class ArchiveError(BadFiles):
    """An upload that cannot be opened safely; ``verdict`` says why."""


@dataclass(frozen=True)
class Limits:
    """How much an upload may unpack to."""

    file_bytes: int = 64 * 1024 * 1024
    total_bytes: int = 128 * 1024 * 1024
    ratio: int = 200
    """Unpacked bytes per packed byte; retail tables reach about 10."""
    members: int = 1000
    memory_bytes: int = 8 * 1024 * 1024
    """Files above this size wait on disk, in an anonymous temporary file."""


class _Choice(NamedTuple):
    """What is done about files of an archive that have other names than the wanted ones."""

    ignore_others: bool
    aliases: Mapping[str, str]


def open_upload(
    file: BinaryIO,
    wanted: Sequence[str],
    limits: Limits | None = None,
    name: str = "upload",
    *,
    ignore_others: bool = False,
    aliases: Mapping[str, str] | None = None,
) -> Opened:
    """The wanted files of an upload, by name, each open at its start; the caller closes them.

    Other files in an archive that has all of them are a problem, or are named and ignored. ``aliases`` are
    other names that mean a wanted file, in small letters.

    A file that the archive lacks is not in the result; the checker reports it. Raise `ArchiveError`
    with every problem found where the archive cannot be trusted.
    """
    limits = limits or Limits()
    found = Findings(name)
    start = file.read(8)
    packed = file.seek(0, 2)
    file.seek(0)
    # Whatever the limits allow, a small upload may not grow out of all proportion.
    left = min(limits.total_bytes, max(packed * limits.ratio, SMALL))
    opened = Opened()
    try:
        for target, pieces in _contents(
            file, start, wanted, limits, found, _Choice(ignore_others, aliases or {})
        ):
            spool = tempfile.SpooledTemporaryFile(max_size=limits.memory_bytes)  # noqa: SIM115 (the caller closes it)
            opened[target] = cast(BinaryIO, spool)
            left -= _copy(pieces, opened[target], min(left, limits.file_bytes), left, found, target)
            if found.total:
                break
    except CorruptArchive:
        found.add(CORRUPT())
    if found.total:
        for part in opened.values():
            part.close()
        raise ArchiveError(found.verdict())
    opened.remarks = found.verdict().remarks
    return opened


def _contents(
    file: BinaryIO, start: bytes, wanted: Sequence[str], limits: Limits, found: Findings, choice: _Choice
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The wanted files and their bytes, in pieces."""
    if start.startswith(ZIP):
        yield from _zip_contents(file, wanted, limits, found, choice)
    elif len(wanted) != 1:
        found.add(NOT_A_ZIP(names=list(wanted)))
        if (kind := packed_kind(found.file, start)) is not None:
            found.explain([kind])
    elif start.startswith(GZIP):
        yield wanted[0], sound(_inflated(file))
    else:
        yield wanted[0], iter(lambda: file.read(CHUNK), b"")


def _zip_contents(
    file: BinaryIO, wanted: Sequence[str], limits: Limits, found: Findings, choice: _Choice
) -> Iterator[tuple[str, Iterator[bytes]]]:
    if not has_small_directory(file, limits, found):
        return
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGE as error:
        raise CorruptArchive from error
    with archive:
        chosen = _choose(archive.infolist(), wanted, limits, found, choice)
        if not found.total:
            for target, member in chosen.items():
                yield target, sound(unzipped(archive, member))


def has_small_directory(file: BinaryIO, limits: Limits, found: Findings) -> bool:
    """Whether the list of members is short enough to be read at all: zipfile reads it whole into memory."""
    size = file.seek(0, 2)
    file.seek(max(0, size - LONGEST_END))
    end = file.read()
    place = end.rfind(END_OF_DIRECTORY)
    if place < 0 or len(end) < place + 22:
        raise CorruptArchive
    if end[max(0, place - 20) : place].startswith(LOCATOR_64):
        found.add(ZIP64())
    elif int.from_bytes(end[place + 12 : place + 16], "little") > limits.members * DIRECTORY_ENTRY:
        found.add(TOO_MANY_MEMBERS(n=limits.members))
    file.seek(0)
    return found.total == 0


def unzipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(member) as stream:
        yield from iter(lambda: stream.read(CHUNK), b"")


def sound(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces as they come, with anything that a damaged archive raises turned into one error."""
    try:
        yield from pieces
    except DAMAGE as error:
        raise CorruptArchive from error


def _choose(
    members: Sequence[zipfile.ZipInfo],
    wanted: Sequence[str],
    limits: Limits,
    found: Findings,
    choice: _Choice,
) -> dict[str, zipfile.ZipInfo]:
    """Which member is which wanted file; everything suspicious is noted."""
    if len(members) > limits.members:
        found.add(TOO_MANY_MEMBERS(n=limits.members), got=MEMBERS(n=len(members)))
        return {}
    targets = {**choice.aliases, **{name.lower(): name for name in wanted}}
    chosen: dict[str, zipfile.ZipInfo] = {}
    folders, others = set(), []
    given = {member.filename.lower().rpartition("/")[2] for member in members}
    is_whole = choice.ignore_others and {targets.get(base) for base in given}.issuperset(wanted)
    for member in members:
        problem = suspicion(member)
        if problem is not None:
            found.add(problem, got=member.orig_filename)
            continue
        *parents, base = member.filename.split("/")
        if member.is_dir() or is_junk(parents, base):
            continue
        target = targets.get(base.lower())
        if target is None or len(parents) > 1:
            others.append(member.orig_filename)
            if is_whole:
                continue
            found.add(UNKNOWN_MEMBER(names=list(wanted)), got=member.orig_filename)
        elif target in chosen:
            found.add(DUPLICATE_MEMBER(name=target), got=member.orig_filename)
        else:
            chosen[target] = member
            if base.lower() != target.lower():
                found.read_as(OTHER_NAME(got=shown(base), name=target))
        folders.add("/".join(parents))
    if others:
        _explain_others(others, found, is_whole)
    if len(folders) > 1 and not found.total:
        found.add(SEVERAL_FOLDERS(), got=", ".join(sorted(folders)))
    return chosen


def _explain_others(others: list[str], found: Findings, are_ignored: bool) -> None:
    """Members that nobody asked for."""
    if are_ignored:
        names = [shown(name) for name in others[:MEMBERS_NAMED]]
        found.read_as(OTHERS_IGNORED(n=len(others), names=names))
        return
    book = workbook_of(others)
    if book is not None:
        found.explain([Remark(found.file, book, SAVE_FROM_EXCEL())])


def is_junk(parents: Sequence[str], base: str) -> bool:
    """What file managers add on their own."""
    return "__MACOSX" in parents or base.lower() in JUNK or base.startswith("._")


def suspicion(member: zipfile.ZipInfo) -> Message | None:
    """What was expected of a member's name or kind, where it is something else."""
    # The name as the archive has it: zipfile turns backslashes into slashes on some systems and cuts at NUL.
    name = member.orig_filename
    parts = name.split("/")
    if "\\" in name or "\0" in name or name.startswith("/") or ".." in parts or ":" in name:
        return BAD_PATH()
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return NOT_A_FILE()
    if member.flag_bits & 0x1:
        return ENCRYPTED()
    if member.compress_type not in METHODS:
        return COMPRESSION_METHOD()
    return None


def _inflated(file: BinaryIO) -> Iterator[bytes]:
    """The single member of a gzip file, in pieces of bounded size; anything after it is an error."""
    machine = zlib.decompressobj(wbits=31)
    while not machine.eof:
        packed = machine.unconsumed_tail or file.read(CHUNK)
        if not packed:
            raise EOFError
        piece = machine.decompress(packed, CHUNK)
        if piece:
            yield piece
    if machine.unused_data or file.read(1):
        raise ValueError("Bytes follow the gzip member.")


def _copy(pieces: Iterator[bytes], target: BinaryIO, most: int, left: int, found: Findings, name: str) -> int:
    """Copy a file out and count its bytes; stop, with a problem noted, as soon as there are too many.

    Up to what the whole upload may unpack to, the rest is counted, so that its size can be named.
    """
    size = 0
    for piece in pieces:
        if size == 0 and piece.startswith(NESTED):
            found.add(NESTED_ARCHIVE(), got=name)
            if (kind := packed_kind(name, piece)) is not None:
                found.explain([kind])
            break
        size += len(piece)
        if size > most:
            found.add(TOO_LARGE(n=most), got=name)
            while size <= left and (piece := next(pieces, b"")):
                size += len(piece)
            if size <= left:
                found.explain([too_large(name, size, most)])
            break
        target.write(piece)
    target.seek(0)
    return size
