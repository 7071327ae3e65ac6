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

SCRIPT = "reidentify.py"
EXECUTABLE = "reidentify"
UPLOAD_BYTES = 20 * MIB
UNPACKED_BYTES = 40 * MIB
FILES = 200
DEPTH = 5
PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+ -]{0,99}")
LITTER = ("__MACOSX", "Thumbs.db", "__pycache__")


class ProgramError(ValueError):
    """The upload is no program that can be run; the text says why, for the team."""


@dataclass(frozen=True)
class Program:
    """The files of a program by their relative path, and the one that is started."""

    files: dict[str, bytes]
    entry: str


def read_program(upload: Path | bytes) -> Program:
    """Take the upload apart, or raise `ProgramError`.

    >>> read_program(b"print('hello')").entry
    'reidentify.py'
    """
    data = upload if isinstance(upload, bytes) else _read_file(upload)
    if len(data) > UPLOAD_BYTES:
        raise ProgramError(
            f"The program is {size_text(len(data))} large; up to {size_text(UPLOAD_BYTES)} is accepted."
        )
    if data.startswith(ZIP):
        return _with_entry(_without_folder(_unpack(data)))
    if b"\0" in data:
        raise ProgramError(
            f"The program is neither a zip archive nor a Python text: got a NUL byte in {SCRIPT}."
        )
    if not data.strip():
        raise ProgramError(f"{SCRIPT} is empty; expected a Python program.")
    return Program({SCRIPT: data}, SCRIPT)


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
        raise ProgramError(f"The zip archive cannot be read: {error}.") from error


def _members(archive: zipfile.ZipFile) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    budget = UNPACKED_BYTES
    for info in archive.infolist():
        if info.is_dir() or any(_is_litter(part) for part in info.filename.split("/")):
            continue
        name = _safe_name(info)
        if name.casefold() in seen:
            raise ProgramError(
                f"The zip archive holds {name!r} twice (upper and lower case count as the same)."
            )
        seen.add(name.casefold())
        if len(seen) > FILES:
            raise ProgramError(f"The zip archive holds more than {FILES} files; up to {FILES} are accepted.")
        with archive.open(info) as member:
            # The size in the header is the sender's claim; only what comes out counts.
            content = member.read(budget + 1)
        budget -= len(content)
        if budget < 0:
            raise ProgramError(
                f"The zip archive unpacks to more than {size_text(UNPACKED_BYTES)}, the most accepted."
            )
        files[name] = content
    for name in files:
        clash = next(
            (str(parent) for parent in PurePosixPath(name).parents if str(parent).casefold() in seen), ""
        )
        if clash:
            raise ProgramError(f"The zip archive holds {clash!r} both as a file and as a folder.")
    return files


def _is_litter(part: str) -> bool:
    """What file managers and editors leave; `..` is no litter but an attempt."""
    return part in LITTER or (part.startswith(".") and PART.fullmatch(part[1:]) is not None)


def _safe_name(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & 0x1:
        raise ProgramError("The zip archive is encrypted; expected one without a password.")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise ProgramError(
            f"{info.filename!r} in the zip archive is a link or a device; expected plain files."
        )
    if info.compress_type not in METHODS:
        raise ProgramError(
            f"{info.filename!r} in the zip archive is packed in a way other than stored or deflated."
        )
    # The name as the archive has it: zipfile itself cuts at NUL and turns backslashes on some systems.
    parts = info.orig_filename.split("/")
    if len(parts) > DEPTH or not all(PART.fullmatch(part) for part in parts):
        raise ProgramError(
            f"{info.orig_filename[:200]!r} in the zip archive is no acceptable name: expected a relative path"
            f" of up to {DEPTH} parts of letters, digits, spaces and . _ + - that do not start with a dot."
        )
    return "/".join(parts)


def _without_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """Drop the one folder that archivers put around everything."""
    folders = {name.split("/")[0] for name in files}
    if len(folders) == 1 and all("/" in name for name in files):
        return {name.split("/", 1)[1]: content for name, content in files.items()}
    return files


def _with_entry(files: dict[str, bytes]) -> Program:
    if files.get(EXECUTABLE, b"").startswith((b"#!", b"\x7fELF")):
        return Program(files, EXECUTABLE)
    if SCRIPT in files:
        return Program(files, SCRIPT)
    raise ProgramError(
        f"The zip archive holds neither {SCRIPT} nor an executable file {EXECUTABLE} (with #! or ELF), at the"
        " top or in one folder around everything."
    )
