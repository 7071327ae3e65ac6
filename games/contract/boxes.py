"""Named files in memory and in folders, for verbs to read and to write."""

from __future__ import annotations

import io
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeVar

from datasets.problems import shown
from games.contract.broken import FILE_TOO_LARGE, UNDECLARED, UndeclaredFile
from games.contract.declaration import File
from games.contract.values import Box

T = TypeVar("T")


class NoSuchFile(KeyError):
    """A verb asks for a file that is not there, or that it may not see."""

    def __str__(self) -> str:
        return f"There is no file {self.args[0]!r} to be read here."


class Loading:
    """Remembers what was read: a file is parsed once however many cells of a matrix need it."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def open(self, name: str) -> BinaryIO:
        raise NotImplementedError

    def load(self, name: str, read: Callable[[BinaryIO], T]) -> T:
        def loaded() -> T:
            with self.open(name) as file:
                return read(file)

        return self.memo((name, read), loaded)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._made:
            self._made[key] = make()
        made: T = self._made[key]
        return made


class MemoryBox(Loading):
    """Files that are held in memory.

    >>> MemoryBox({"a.csv": b"1"}).open("a.csv").read()
    b'1'
    """

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        super().__init__()
        self.files = dict(files or {})

    def names(self) -> Sequence[str]:
        return sorted(self.files)

    def open(self, name: str) -> BinaryIO:
        if name not in self.files:
            raise NoSuchFile(name)
        return io.BytesIO(self.files[name])


class FolderBox(Loading):
    """The files below a folder, by their paths within it. Links are not followed."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def names(self) -> Sequence[str]:
        found = (path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())
        return sorted(path.relative_to(self.folder).as_posix() for path in found)

    def open(self, name: str) -> BinaryIO:
        if not is_plain(name) or not (self.folder / name).is_file() or (self.folder / name).is_symlink():
            raise NoSuchFile(name)
        return (self.folder / name).open("rb")


class _Empty(MemoryBox):
    """No file, and no memory: everybody shares it."""

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        return make()


EMPTY = _Empty()
"""What a verb may not see."""


class MemoryOut:
    """Collects what a verb writes, within what the game declares."""

    def __init__(self, declared: Sequence[File]) -> None:
        self.declared = declared
        self._written: dict[str, _Counted] = {}

    def create(self, name: str) -> BinaryIO:
        file = next((file for file in self.declared if file.pattern.fullmatch(name)), None)
        if file is None or not is_plain(name):
            known = [file.name for file in self.declared] or ["–"]
            raise UndeclaredFile(UNDECLARED(name=shown(name), names=known))
        self._written[name] = _Counted(name, file.max_bytes)
        return self._written[name]

    @property
    def files(self) -> dict[str, bytes]:
        return {name: self._written[name].content for name in sorted(self._written)}

    def box(self, files: Iterable[File] | None = None) -> MemoryBox:
        """What was written, or the part of it that falls under these declarations."""
        chosen = tuple(self.declared if files is None else files)
        written = self.files.items()
        return MemoryBox(
            {
                name: content
                for name, content in written
                if any(file.pattern.fullmatch(name) for file in chosen)
            }
        )


class _Counted(io.BytesIO):
    """Bytes that stay readable after they are closed, up to a limit."""

    def __init__(self, name: str, most: int) -> None:
        super().__init__()
        self.name = name
        self.most = most
        self._content: bytes | None = None

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.most:
            raise UndeclaredFile(FILE_TOO_LARGE(n=self.most, name=self.name))
        return super().write(data)

    def close(self) -> None:
        if self._content is None:
            self._content = self.getvalue()
        super().close()

    @property
    def content(self) -> bytes:
        return self.getvalue() if self._content is None else self._content


def is_plain(name: str) -> bool:
    """Whether a name stays where it is put.

    >>> is_plain("a/b.csv"), is_plain("../b.csv"), is_plain("/b.csv")
    (True, False, False)
    """
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\\" not in name


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their names below a folder, which is made; `ValueError` where a name leads out of it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if not is_plain(name):
            raise ValueError(f"{name!r} is no name for a file here.")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def contents(box: Box) -> dict[str, bytes]:
    """All files of a box."""
    found = {}
    for name in box.names():
        with box.open(name) as file:
            found[name] = file.read()
    return found
