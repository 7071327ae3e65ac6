"""Where a bundle is stored: a YAML file beside its data files, a zip of all, or a preset of the house."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from contest.bundle.check import Checked, OpenFile, check_bundle
from contest.bundle.expectations import A_FILE_IN_ZIP, A_SOUND_ZIP, UTF8
from contest.bundle.specification import Bundle
from datasets.archive import ArchiveError, Limits, open_upload
from datasets.documents import MAX_CHARACTERS, DocumentProblem
from datasets.messages import Message
from datasets.zip_writer import ZipWriter, chunks_of
from games.formats.presets import preset_names, preset_text

IN_ZIP = "contest.yaml"
LIMITS = Limits(file_bytes=1024**3, total_bytes=2 * 1024**3)


def preset_bundle(name: str) -> Bundle:
    """A preset as it was checked; the house's own are valid."""
    found = check_bundle(preset_text(name), name).bundle
    assert found is not None
    return found


class OpenBundle:
    """A bundle that was read and checked, with its data files at hand until it is closed."""

    def __init__(self, checked: Checked, open_file: OpenFile, stack: ExitStack | None = None) -> None:
        self.checked = checked
        self.open_file = open_file
        self._stack = stack or ExitStack()

    def __enter__(self) -> OpenBundle:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()


def open_bundle(path: Path) -> OpenBundle:
    """Read and check a bundle: a YAML file, a zip that holds `contest.yaml`, or a preset's name."""
    if not path.exists() and path.name in preset_names():
        return OpenBundle(check_bundle(preset_text(path.name), path.name), _nothing_beside)
    if path.suffix.lower() == ".zip":
        with path.open("rb") as file:
            return open_zip(file, path.name)

    def beside(name: str) -> IO[bytes]:
        return (path.parent / name).open("rb")

    return OpenBundle(_checked(path.read_bytes(), path.name, beside), beside)


def open_zip(file: IO[bytes], name: str) -> OpenBundle:
    """The bundle in an uploaded zip; hostile archives are refused as those of teams are."""
    stack = ExitStack()
    try:
        wanted = [IN_ZIP, *_data_names(file)]
        file.seek(0)
        opened = open_upload(file, wanted, LIMITS, name)  # type: ignore[arg-type]
    except (ArchiveError, zipfile.BadZipFile) as error:
        problem = DocumentProblem(name, None, "", "bad-archive", None, A_SOUND_ZIP(problem=_damage(error)))
        return OpenBundle(Checked(None, (problem,)), _nothing_beside)
    for part in opened.values():
        stack.callback(part.close)
    if IN_ZIP not in opened:
        problem = DocumentProblem(name, None, "", "missing-file", None, A_FILE_IN_ZIP(name=IN_ZIP))
        return OpenBundle(Checked(None, (problem,)), _nothing_beside, stack)

    def member(wanted: str) -> IO[bytes]:
        if wanted not in opened:
            raise FileNotFoundError(wanted)
        opened[wanted].seek(0)
        return _KeptOpen(opened[wanted])  # type: ignore[return-value]

    return OpenBundle(_checked(opened[IN_ZIP].read(), f"{name}/{IN_ZIP}", member), member, stack)


def open_upload_bundle(file: IO[bytes], name: str) -> OpenBundle:
    """The bundle in an uploaded file: a zip, or the text alone where it has no data files."""
    file.seek(0)
    is_zip = file.read(4) == b"PK\x03\x04"
    file.seek(0)
    if is_zip:
        return open_zip(file, name)
    return OpenBundle(_checked(file.read(MAX_CHARACTERS * 4), name, _nothing_beside), _nothing_beside)


def write_zip(path: Path, text: str, files: Mapping[str, IO[bytes]]) -> None:
    """Write a bundle and its data files as one zip; the same content gives the same bytes."""
    with path.open("wb") as target, ZipWriter(target) as writer:
        writer.add(IN_ZIP, [text.encode("utf-8")])
        for name in sorted(files):
            writer.add(name, chunks_of(files[name]))


def _damage(error: ArchiveError | zipfile.BadZipFile) -> list[Message] | str:
    if isinstance(error, ArchiveError):
        return [problem.message for problem in error.verdict.problems]
    return str(error)


def _checked(content: bytes, name: str, open_file: OpenFile) -> Checked:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return Checked(None, (DocumentProblem(name, line, "", "not-utf8", None, UTF8()),))
    return check_bundle(text, name, open_file)


def _data_names(file: IO[bytes]) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        names = {Path(name).name for name in archive.namelist()[: LIMITS.members]}
    return sorted(names - {"", IN_ZIP})


def _nothing_beside(name: str) -> IO[bytes]:
    raise FileNotFoundError(name)


class _KeptOpen:
    """A member of a zip as a context that leaves it open for the next reader."""

    def __init__(self, file: IO[bytes]) -> None:
        self.read = file.read

    def __enter__(self) -> _KeptOpen:
        return self

    def __exit__(self, *error: object) -> None:
        return None
