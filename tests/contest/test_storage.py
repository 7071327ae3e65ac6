"""The content-addressed store: whole or not there, capped, once."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from contest.errors import Refused
from contest.files.storage import AtomicFileStorage, ContentStore


def files_in(alias: str) -> list[Path]:
    root = Path(settings.STORAGES[alias]["OPTIONS"]["location"])
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_a_file_is_named_by_its_content_and_kept_once() -> None:
    store = ContentStore("entries")
    content = b"hide and seek"
    first = store.put(io.BytesIO(content))
    before = files_in("entries")
    assert store.put(io.BytesIO(content)) == first
    assert files_in("entries") == before
    assert first.sha256 == hashlib.sha256(content).hexdigest()
    with store.open(first.sha256) as file:
        assert file.read() == content


def test_a_stream_that_is_too_long_is_refused_before_it_is_read_to_its_end() -> None:
    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:
            self.given += size
            return b"x" * size

    endless = Endless()
    before = files_in("vault")
    with pytest.raises(Refused) as caught:
        ContentStore("vault").put(endless, max_bytes=1_000_000)  # type: ignore[arg-type]
    assert caught.value.code == "file-too-large"
    assert endless.given < 2_000_000
    assert files_in("vault") == before


def test_a_write_that_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = AtomicFileStorage(location=tmp_path)

    class Breaking:
        def chunks(self, size: int | None = None) -> Any:
            yield b"half"
            raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk is full"):
        storage._save("ab/abc", Breaking())  # type: ignore[arg-type]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_vault_is_not_below_what_attackers_may_read() -> None:
    vault = Path(settings.STORAGES["vault"]["OPTIONS"]["location"])
    entries = Path(settings.STORAGES["entries"]["OPTIONS"]["location"])
    assert vault not in entries.parents
    assert entries not in vault.parents
    assert vault != entries
