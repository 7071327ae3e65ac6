"""Write the files that commands make: whole or not at all."""

from __future__ import annotations

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
