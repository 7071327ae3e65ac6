"""The private folder that holds what one run may see: the program, its inputs, and nothing else.

The files are copies. So the places from which they came (which a mount table would show) stay unknown to the
program, a file next to them, such as the secret P, is out of reach, and their permissions do not matter.
"""

from __future__ import annotations

import fcntl
import os
import re
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
EVERYTHING = None
PublicFiles = Mapping[str, Sequence[str] | None]
"""The names of the files that a program may see, by input; `EVERYTHING` is the whole folder."""
PUBLIC_FILES: PublicFiles = dict.fromkeys(INPUTS, ("M.csv", "T.csv"))
INPUT_NAME = re.compile(r"(?!(?:program|tmp|out|proc|dev|etc|usr|opt|bin|lib\d*|run|sys)$)[a-z]{1,20}")
"""An input is a folder of this name at the root, where a program may not hide anything of the system."""
OUTPUT = "Q.csv"
PREFIX = "kakurenbo-run-"
FORGOTTEN_SECONDS = 600
"""Younger folders may belong to a run that has not locked its own yet."""


@dataclass(frozen=True)
class Stage:
    """``folder`` has the subfolder program and one per input; ``output`` names the file of the result."""

    folder: Path
    entry: str
    inputs: tuple[str, ...] = INPUTS
    output: str = OUTPUT

    @property
    def mounts(self) -> tuple[tuple[Path, str], ...]:
        return tuple((self.folder / name, f"/{name}") for name in ("program", *self.inputs))

    def arguments(self, root: Path = Path("/"), out: Path = Path("/out")) -> tuple[str, ...]:
        """What the program is called with: its inputs in order, and the place of its result."""
        return (*(str(root / name) for name in self.inputs), str(out / self.output))


@contextmanager
def staged(
    program: Program,
    inputs: Mapping[str, Path],
    public: PublicFiles = PUBLIC_FILES,
    output: str = OUTPUT,
) -> Iterator[Stage]:
    """Lay out one run; the folder is removed afterwards."""
    if set(inputs) != set(public):
        raise ValueError(f"The inputs of a run must be {', '.join(public)}. Got {', '.join(inputs)} instead.")
    for name in public:
        if not INPUT_NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of an input.")
    remove_forgotten()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, _locked(Path(name)) as folder:
        for input_name, source in inputs.items():
            names = public[input_name]
            copied = _all_files(source) if names is EVERYTHING else names
            _copy_files(copied, source, _open_folder(folder / input_name))
        home = _open_folder(folder / "program")
        for path, content in program.files.items():
            target = _in_open_folders(home, path)
            target.write_bytes(content)
            target.chmod(0o555 if path == program.entry else 0o444)
        yield Stage(folder, program.entry, tuple(public), output)


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
        copy = _in_open_folders(target, name)
        shutil.copyfile(source / name, copy)
        copy.chmod(0o444)


def _all_files(source: Path) -> list[str]:
    """The names of all files below a folder; what is no plain file stops the run before it begins."""
    found = (path for path in source.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(path.relative_to(source).as_posix() for path in found)


def _in_open_folders(home: Path, path: str) -> Path:
    """The place of a file, with the folders around it made."""
    target = home / path
    for parent in reversed(target.relative_to(home).parents):
        _open_folder(home / parent)
    return target


def _open_folder(path: Path) -> Path:
    """Make a folder that the program's user can read whatever our umask is; its parent is private to us."""
    path.mkdir(exist_ok=True)
    path.chmod(0o755)
    return path
