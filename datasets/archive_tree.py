"""Opening a zip of a whole folder: every file by its path, read into memory within limits.

The same suspicion as for other uploads (`datasets.archive`): nothing is unpacked to a path that the archive
names, and no size that it states is believed.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Iterable
from typing import BinaryIO

from datasets.archive import (
    CORRUPT,
    DAMAGE,
    MEMBERS,
    SMALL,
    TOO_LARGE,
    TOO_MANY_MEMBERS,
    ZIP,
    ArchiveError,
    CorruptArchive,
    Limits,
    has_small_directory,
    is_junk,
    sound,
    suspicion,
    unzipped,
)
from datasets.messages import Message, Template
from datasets.problems import Findings

DEPTH = 8
PART = re.compile(r"[\w][\w.+@=(), -]{0,99}")
UTF_8 = 0x800
"""The flag of a member whose name is UTF-8."""
BYTECODE = "__pycache__"

A_ZIP = Template("tree.not-a-zip", "a zip archive")
A_UTF_8_NAME = Template("tree.name-encoding", "a name in UTF-8")
A_TREE_NAME = Template(
    "tree.bad-name", "a relative path of up to %(n)s parts of letters, digits and . _ + - @ = ( ) , or spaces"
)
NAME_ONCE = Template("tree.twice", "every name once; upper and lower case count as the same")
FILE_OR_FOLDER = Template("tree.file-and-folder", "a file or a folder of that name, not both")


def read_tree(file: BinaryIO, limits: Limits, name: str = "upload") -> dict[str, bytes]:
    """Every file of the archive by its path, sorted; `ArchiveError` with every problem that it has."""
    found = Findings(name)
    packed = file.seek(0, 2)
    file.seek(0)
    # Whatever the limits allow, a small upload may not grow out of all proportion.
    budget = min(limits.total_bytes, max(packed * limits.ratio, SMALL))
    files: dict[str, bytes] = {}
    try:
        if not file.read(4).startswith(ZIP):
            found.add(A_ZIP())
        elif has_small_directory(file, limits, found):
            files = _unpacked(file, limits, budget, found)
    except CorruptArchive:
        found.add(CORRUPT())
    if found.total:
        raise ArchiveError(found.verdict())
    return dict(sorted(files.items()))


def _unpacked(file: BinaryIO, limits: Limits, budget: int, found: Findings) -> dict[str, bytes]:
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGE as error:
        raise CorruptArchive from error
    files: dict[str, bytes] = {}
    with archive:
        members = _chosen(archive.infolist(), limits, found)
        for name, member in members.items() if not found.total else ():
            most = min(budget, limits.file_bytes)
            content = bytearray()
            for piece in sound(unzipped(archive, member)):
                content += piece
                if len(content) > most:
                    found.add(TOO_LARGE(n=most), got=name)
                    return {}
            budget -= len(content)
            files[name] = bytes(content)
    return files


def _chosen(
    members: Iterable[zipfile.ZipInfo], limits: Limits, found: Findings
) -> dict[str, zipfile.ZipInfo]:
    """The members that are files, by name; everything suspicious is noted."""
    listed = list(members)
    if len(listed) > limits.members:
        found.add(TOO_MANY_MEMBERS(n=limits.members), got=MEMBERS(n=len(listed)))
        return {}
    chosen: dict[str, zipfile.ZipInfo] = {}
    seen: set[str] = set()
    for member in listed:
        problem = suspicion(member) or _strange_name(member)
        if problem is not None:
            found.add(problem, got=member.orig_filename)
            continue
        *parents, base = member.filename.split("/")
        if member.is_dir() or is_junk(parents, base) or BYTECODE in parents:
            continue
        if member.filename.casefold() in seen:
            found.add(NAME_ONCE(), got=member.orig_filename)
        seen.add(member.filename.casefold())
        chosen[member.filename] = member
    for name in chosen:
        parts = name.casefold().split("/")
        if any("/".join(parts[:n]) in seen for n in range(1, len(parts))):
            found.add(FILE_OR_FOLDER(), got=name)
    return chosen


def _strange_name(member: zipfile.ZipInfo) -> Message | None:
    name = member.orig_filename
    if not name.isascii() and not member.flag_bits & UTF_8:
        return A_UTF_8_NAME()
    parts = name.removesuffix("/").split("/")
    *parents, base = parts
    if is_junk(parents, base):
        return None
    plain = all(PART.fullmatch(part) for part in parts) and unicodedata.normalize("NFC", name) == name
    return None if plain and len(parts) <= DEPTH else A_TREE_NAME(n=DEPTH)
