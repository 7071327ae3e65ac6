"""Zips whose bytes depend on nothing but their content, with the hash of every file."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from typing import IO, Any

from contest.archive import verify
from contest.errors import Refused
from contest.stores import STORES


class ZipWriter:
    """Adds files and notes their hashes; `finish` writes the manifest."""

    def __init__(self, target: IO[bytes]) -> None:
        self.archive = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)
        self.files: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> ZipWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.archive.close()

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        member = zipfile.ZipInfo(name)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = 0o600 << 16
        digest, size = hashlib.sha256(), 0
        with self.archive.open(member, "w", force_zip64=name.startswith("rows/")) as stream:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                stream.write(chunk)
        if name != verify.MANIFEST:
            self.files[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def add_file(self, name: str, sha256: str, store: str) -> None:
        try:
            file = STORES[store].open(sha256)
        except FileNotFoundError:
            raise Refused("file-missing", f"The file {sha256} is not in the store {store!r}.") from None
        with file:
            self.add(name, iter(lambda: file.read(verify.CHUNK), b""))
        if self.files[name]["sha256"] != sha256:
            raise Refused("file-damaged", f"The file {sha256} of the store {store!r} has other bytes by now.")

    def finish(self, manifest: dict[str, Any]) -> dict[str, Any]:
        whole = {**manifest, "files": self.files}
        self.add(verify.MANIFEST, [(json.dumps(whole, indent=1, sort_keys=True) + "\n").encode("utf-8")])
        return whole


def line(row: dict[str, Any]) -> str:
    """A row in the one way in which rows are written."""
    return json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
