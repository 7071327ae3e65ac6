"""Zips with a manifest: the length and the hash of every file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from contest.archive.file_stores import STORES
from contest.errors import Refused
from contest.records import verify
from datasets.zip_writer import ZipWriter, chunks_of


class ArchiveWriter:
    """Adds files and records their hashes; `finish` writes the manifest."""

    def __init__(self, target: IO[bytes]) -> None:
        self.zip = ZipWriter(target)
        self.files: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.zip.__exit__(*error)

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        digest, size = hashlib.sha256(), 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                yield chunk

        self.zip.add(name, counted(), may_be_huge=name.startswith("rows/"))
        if name != verify.MANIFEST:
            self.files[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def add_file(self, name: str, sha256: str, store: str) -> None:
        try:
            file = STORES[store].open(sha256)
        except FileNotFoundError:
            raise Refused("file-missing", f"The file {sha256} is not in the store {store!r}.") from None
        with file:
            self.add(name, chunks_of(file))
        if self.files[name]["sha256"] != sha256:
            raise Refused("file-damaged", f"The file {sha256} of the store {store!r} has other bytes by now.")

    def finish(self, manifest: dict[str, Any]) -> dict[str, Any]:
        whole = {**manifest, "files": self.files}
        self.add(verify.MANIFEST, [(json.dumps(whole, indent=1, sort_keys=True) + "\n").encode("utf-8")])
        return whole


def line(row: dict[str, Any]) -> str:
    """A row in the one canonical form."""
    return json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
