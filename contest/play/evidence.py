"""The evidence of a result: arrays in the vault that only the tally reads again."""

from __future__ import annotations

import hashlib
import io
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from contest.files import vault
from datasets.zip_writer import zipped
from games.contract.folders import Reader, Writer
from games.contract.values import Result

NAME = "evidence.json"


def keep_evidence(result: Result) -> str:
    """Store the evidence of a result; returns its name in the vault, nothing where there is none."""
    return vault.keep_secret(_packed(result)).sha256 if result.evidence else ""


def evidence_hash(result: Result) -> str:
    """The name that the evidence of a result would have."""
    return hashlib.sha256(_packed(result)).hexdigest() if result.evidence else ""


def _packed(result: Result) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Writer(folder).write(NAME, dict(result.evidence))
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return zipped(files)


class Evidence(Mapping[str, Any]):
    """Evidence that is read when somebody looks at it."""

    def __init__(self, sha256: str) -> None:
        self._sha256 = sha256

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        with vault.open_secret(self._sha256) as file:
            archive = io.BytesIO(file.read())
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            with zipfile.ZipFile(archive) as members:
                # We wrote the names ourselves, and none has a folder.
                for member in members.namelist():
                    (folder / Path(member).name).write_bytes(members.read(member))
            found: Mapping[str, Any] = Reader(folder).read(NAME)
        return found

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def evidence_of(sha256: str) -> Mapping[str, Any]:
    return Evidence(sha256) if sha256 else {}
