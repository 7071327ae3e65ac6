"""Reading what a team uploads: one ``reidentify.py``, or a zip with it. Nothing of it is run here.

The archive is never unpacked by name: every member is read through a budget into memory, its path is
checked, and only regular files are kept.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from attacks.sandbox.limits import MIB, size_text
from datasets.archive import DAMAGE, METHODS, ZIP
from datasets.messages import Message, Template

SCRIPT = "reidentify.py"
EXECUTABLE = "reidentify"
UPLOAD_BYTES = 20 * MIB
UNPACKED_BYTES = 40 * MIB
FILES = 200
DEPTH = 5
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,99}")
LITTER = ("__MACOSX", "Thumbs.db", "__pycache__")

TOO_LARGE = Template("program.too-large", "The program is %(size)s large; up to %(limit)s is accepted.")
NOT_TEXT = Template(
    "program.not-text", "The program is neither a zip archive nor a Python text: got a NUL byte in %(name)s."
)
EMPTY = Template("program.empty", "%(name)s is empty; expected a Python program.")
UNREADABLE = Template("program.unreadable", "The zip archive cannot be read: %(error)s.")
TWICE = Template(
    "program.twice", "The zip archive holds %(name)s twice (upper and lower case count as the same)."
)
TOO_MANY_FILES = Template(
    "program.too-many-files", "The zip archive holds more than %(n)s files; up to %(limit)s are accepted."
)
UNPACKS_TOO_LARGE = Template(
    "program.unpacks-too-large", "The zip archive unpacks to more than %(size)s, the most accepted."
)
FILE_AND_FOLDER = Template(
    "program.file-and-folder", "The zip archive holds %(name)s both as a file and as a folder."
)
ENCRYPTED = Template("program.encrypted", "The zip archive is encrypted; expected one without a password.")
NOT_A_FILE = Template(
    "program.not-a-file", "%(name)s in the zip archive is a link or a device; expected plain files."
)
PACKED_OTHERWISE = Template(
    "program.packed-otherwise",
    "%(name)s in the zip archive is packed in a way other than stored or deflated.",
)
BAD_NAME = Template(
    "program.bad-name",
    "%(name)s in the zip archive is no acceptable name: expected a relative path of up to %(n)s parts of "
    "letters, digits, spaces and . _ + - that do not start with a dot.",
)
NOTHING_TO_RUN = Template(
    "program.nothing-to-run",
    "The zip archive holds neither %(script)s nor an executable file %(executable)s (with #! or ELF), at the "
    "top or in one folder around everything.",
)


class ProgramError(ValueError):
    """The upload is not a program that can be run; the message says why, for the team."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Program:
    """The files of a program by their relative path, and the one that is started."""

    files: dict[str, bytes]
    entry: str


def read_program(upload: Path | bytes, executable: str = EXECUTABLE) -> Program:
    """Take the upload apart, or raise `ProgramError`. It is started by the script or executable of this name.

    >>> read_program(b"print('hello')").entry
    'reidentify.py'
    """
    data = upload if isinstance(upload, bytes) else _read_file(upload)
    if len(data) > UPLOAD_BYTES:
        raise ProgramError(TOO_LARGE(size=size_text(len(data)), limit=size_text(UPLOAD_BYTES)))
    if data.startswith(ZIP):
        return _with_entry(_without_folder(_unpack(data)), executable)
    script = f"{executable}.py"
    if b"\0" in data:
        raise ProgramError(NOT_TEXT(name=script))
    if not data.strip():
        raise ProgramError(EMPTY(name=script))
    return Program({script: data}, script)


def _read_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(UPLOAD_BYTES + 1)


def _unpack(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _members(archive)
    except ProgramError:
        raise
    except DAMAGE as error:
        raise ProgramError(UNREADABLE(error=str(error)[:200])) from error


def _members(archive: zipfile.ZipFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    budget = UNPACKED_BYTES
    for info in archive.infolist():
        if info.is_dir() or any(_is_litter(part) for part in info.filename.split("/")):
            continue
        name = _safe_name(info)
        if name.casefold() in seen:
            raise ProgramError(TWICE(name=repr(name)))
        seen.add(name.casefold())
        if len(seen) > FILES:
            raise ProgramError(TOO_MANY_FILES(n=FILES, limit=FILES))
        with archive.open(info) as member:
            # The size in the header is the sender's claim; only what comes out counts.
            content = member.read(budget + 1)
        budget -= len(content)
        if budget < 0:
            raise ProgramError(UNPACKS_TOO_LARGE(size=size_text(UNPACKED_BYTES)))
        files[name] = content
    for name in files:
        clash = next(
            (str(parent) for parent in PurePosixPath(name).parents if str(parent).casefold() in seen), ""
        )
        if clash:
            raise ProgramError(FILE_AND_FOLDER(name=repr(clash)))
    return files


def _is_litter(part: str) -> bool:
    """What file managers and editors leave; `..` is not litter but an attack."""
    return part in LITTER or (part.startswith(".") and PART.fullmatch(part[1:]) is not None)


def _safe_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        raise ProgramError(ENCRYPTED())
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ProgramError(NOT_A_FILE(name=repr(info.filename[:200])))
    if info.compress_type not in METHODS:
        raise ProgramError(PACKED_OTHERWISE(name=repr(info.filename[:200])))
    # The name as the archive has it: zipfile itself cuts at NUL and turns backslashes on some systems.
    parts = info.orig_filename.split("/")
    if len(parts) > DEPTH or not all(PART.fullmatch(part) for part in parts):
        raise ProgramError(BAD_NAME(name=repr(info.orig_filename[:200]), n=DEPTH))
    return "/".join(parts)


def _without_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """Drop the one folder that archivers put around everything."""
    folders = {name.split("/")[0] for name in files}
    if len(folders) == 1 and all("/" in name for name in files):
        return {name.split("/", 1)[1]: content for name, content in files.items()}
    return files


def _with_entry(files: dict[str, bytes], executable: str) -> Program:
    script = f"{executable}.py"
    if files.get(executable, b"").startswith((b"#!", b"\x7fELF")):
        return Program(files, executable)
    if script in files:
        return Program(files, script)
    raise ProgramError(NOTHING_TO_RUN(script=script, executable=executable))
