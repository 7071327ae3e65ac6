"""The private folder that holds what one run may see: the program, the public files, and nothing else.

The files are copies. So the places from which they came (which a mount table would show) stay unknown to the
program, a file next to them, such as the secret P, is out of reach, and their permissions do not matter.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from attacks.sandbox.program import Program

INPUTS = ("original", "entry")
PublicFiles = Mapping[str, Sequence[str]]
"""The names of the files that a program may see, by input."""
PUBLIC_FILES: PublicFiles = dict.fromkeys(INPUTS, ("M.csv", "T.csv"))
PREFIX = "kakurenbo-run-"
FORGOTTEN_SECONDS = 600
"""Younger folders may belong to a run that has not locked its own yet."""


@dataclass(frozen=True)
class Stage:
    """``folder`` has the subfolders program, original and entry."""

    folder: Path
    entry: str

    @property
    def mounts(self) -> tuple[tuple[Path, str], ...]:
        return tuple((self.folder / name, f"/{name}") for name in ("program", *INPUTS))


@contextmanager
def staged(
    program: Program, inputs: Mapping[str, Path], public: PublicFiles = PUBLIC_FILES
) -> Iterator[Stage]:
    """Lay out one run; the folder is removed afterwards."""
    if set(inputs) != set(INPUTS):
        raise ValueError(f"The inputs of a run must be {', '.join(INPUTS)}. Got {', '.join(inputs)} instead.")
    remove_forgotten()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, _locked(Path(name)) as folder:
        for input_name, source in inputs.items():
            _copy_files(public[input_name], source, _open_folder(folder / input_name))
        home = _open_folder(folder / "program")
        for path, content in program.files.items():
            target = home / path
            for parent in reversed(target.relative_to(home).parents):
                _open_folder(home / parent)
            target.write_bytes(content)
            target.chmod(0o555 if path == program.entry else 0o444)
        yield Stage(folder, program.entry)


@contextmanager
def _locked(folder: Path) -> Iterator[Path]:
    """Hold a folder's lock, or raise `OSError` where a run has it. The kernel frees it if we are killed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        os.close(descriptor)


def remove_forgotten() -> None:
    """Remove the folders of runs whose platform process was killed: old, our own, and locked by nobody."""
    oldest = time.time() - FORGOTTEN_SECONDS
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if found.st_mtime > oldest or found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode):
                continue
            with _locked(folder):
                shutil.rmtree(folder)


def _copy_files(names: Sequence[str], source: Path, target: Path) -> None:
    for name in names:
        if (source / name).is_symlink() or not (source / name).is_file():
            raise ValueError(f"The input folder {source.name} must hold {name} as a plain file.")
        shutil.copyfile(source / name, target / name)
        (target / name).chmod(0o444)


def _open_folder(path: Path) -> Path:
    """Make a folder that the program's user can read whatever our umask is; its parent is private to us."""
    path.mkdir(exist_ok=True)
    path.chmod(0o755)
    return path
