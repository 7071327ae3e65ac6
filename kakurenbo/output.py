"""Write the files that commands make: whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datasets.writer import replacing
from kakurenbo.main import UsageError


def write_text(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, with its folder; a sentence says why it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from error


def require_new_folder(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"--out: {out} exists and is not an empty folder. Choose a new one.")


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder that appears with all its files or not at all."""
    require_new_folder(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    except OSError as error:
        raise UsageError(f"Cannot write to {out.parent}: {error.strerror}.") from error
    try:
        yield draft
        draft.chmod(0o755)
        draft.replace(out)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
