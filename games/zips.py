"""A game as one zip: reading what an organiser uploads, packing a folder. None of its code is run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from datasets.archive import ArchiveError, Limits
from datasets.archive_tree import read_tree
from datasets.messages import Template
from datasets.problems import Findings
from datasets.zip_writer import zipped
from games.codabench.bundle import FILE as COMPETITION
from games.codabench.convert import as_game
from games.contract.declaration import Declaration
from games.contract.reading import FILE
from games.loading import CODE, declared_in

MIB = 1 << 20
LIMITS = Limits(file_bytes=64 * MIB, total_bytes=256 * MIB, ratio=200, members=2000)
"""Of a game with the data of its examples; what a round is played with is uploaded apart from it."""
LITTER = ("__pycache__", ".git", ".venv")

NO_DECLARATION = Template(
    "game-zip.no-declaration", "%(name)s at the top, or in the one folder around everything"
)
NO_CODE = Template("game-zip.no-code", "%(name)s beside %(other)s")


@dataclass(frozen=True)
class GameZip:
    """The files of a game by path, what they declare, and the hash that identifies them."""

    files: Mapping[str, bytes]
    declaration: Declaration
    sha256: str

    def unpack(self, folder: Path) -> Path:
        """Write the files into an empty folder, which nobody changes any more."""
        folder.mkdir(parents=True, exist_ok=True)
        made = {folder}
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o444)
            made |= {folder / parent for parent in Path(name).parents}
        for place in sorted(made, reverse=True):
            place.chmod(0o555)
        return folder


def read_zip(file: BinaryIO, name: str = "game.zip") -> GameZip:
    """The game of an upload, which may be a Codabench bundle. `ArchiveError` or `BadGame` say everything that
    is wrong with it."""
    files = _without_folder(read_tree(file, LIMITS, name))
    if FILE not in files and COMPETITION in files:
        files = as_game(files)
    found = Findings(name)
    if FILE not in files:
        found.add(NO_DECLARATION(name=FILE))
    elif CODE not in files:
        found.add(NO_CODE(name=CODE, other=FILE))
    if found.total:
        raise ArchiveError(found.verdict())
    return GameZip(files, declared_in(files[FILE], name), identity(files))


def identity(files: Mapping[str, bytes]) -> str:
    """The hash of names and contents; how they were packed does not matter.

    >>> identity({"a": b"1", "b": b""}) == identity({"b": b"", "a": b"1"}) != identity({"a": b"1b"})
    True
    """
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{len(name.encode())} {name} {hashlib.sha256(files[name]).hexdigest()}\n".encode())
    return digest.hexdigest()


def _without_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Drop the one folder that archivers put around everything."""
    tops = {name.split("/")[0] for name in files}
    if not {FILE, COMPETITION} & set(files) and len(tops) == 1 and all("/" in name for name in files):
        return {name.split("/", 1)[1]: content for name, content in files.items()}
    return dict(files)


def pack(folder: Path) -> bytes:
    """The zip of a game's folder; the same files give the same bytes."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    kept = {name: path for name, path in named.items() if not set(name.split("/")) & set(LITTER)}
    return zipped({name: path.read_bytes() for name, path in kept.items()})
