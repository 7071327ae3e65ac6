#!/usr/bin/env python3
"""Verify an archive of a Kakurenbo contest: `python3 verify.py ARCHIVE.zip`. Needs nothing but Python.

It checks that every file is there and is the one that was archived, that every reference between the rows
leads somewhere, that published hashes are the hashes of what was revealed later, and that no row of the audit
log was changed, taken out or put in. The same code guards the import.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

KIND = "kakurenbo_archive"
FORMATS = (1, 2)
"""Format 2 adds columns that hold several files, by name (`file_maps`)."""
MANIFEST = "manifest.json"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
SHA256 = re.compile(r"[0-9a-f]{64}")
CHUNK = 256 * 1024
MAX_MANIFEST = 256 * 1024 * 1024
MAX_ROWS = 2 * 1024**3
MAX_TOTAL = 64 * 1024**3
MAX_DIRECTORY = 512 * 1024 * 1024
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises on a damaged archive."""


class BadArchive(Exception):
    """The archive cannot be trusted; the text says what is wrong, where."""


class Archive:
    """An archive whose list of files is sound. `verify` checks the rest."""

    def __init__(self, path: Path, kind: str = KIND, max_total: int = MAX_TOTAL) -> None:
        self.kind = kind
        try:
            if path.stat().st_size - _directory_start(path) > MAX_DIRECTORY:
                raise BadArchive(f"{path.name}: the list of members is too long.")
            self.zip = zipfile.ZipFile(path)
        except DAMAGE as error:
            raise BadArchive(f"{path.name}: not a sound zip ({error}).") from None
        self.members = _members(self.zip)
        self.manifest = self._read_manifest()
        self.files: dict[str, dict[str, Any]] = self.manifest["files"]
        self._compare_lists(max_total)
        self.by_hash = {facts["sha256"]: name for name, facts in sorted(self.files.items())}

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self.zip.close()

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of a file, never more than the manifest says; a wrong length or hash is an error."""
        facts = self.files[name]
        digest, size = hashlib.sha256(), 0
        try:
            with self.zip.open(self.members[name]) as stream:
                while chunk := stream.read(CHUNK):
                    size += len(chunk)
                    if size > facts["bytes"]:
                        raise BadArchive(f"{name}: longer than the {facts['bytes']} bytes of the manifest.")
                    digest.update(chunk)
                    yield chunk
        except DAMAGE as error:
            raise BadArchive(f"{name}: damaged ({error}).") from None
        if size != facts["bytes"]:
            raise BadArchive(f"{name}: got {size} bytes, expected {facts['bytes']}.")
        if digest.hexdigest() != facts["sha256"]:
            raise BadArchive(f"{name}: sha256 {digest.hexdigest()}, expected {facts['sha256']}.")

    def verify_files(self) -> None:
        for name in sorted(self.files):
            for _ in self.chunks(name):
                pass

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table, numbered from 1 without a gap."""
        name = f"rows/{table}.jsonl"
        if name not in self.files:
            raise BadArchive(f"{name}: missing.")
        if self.files[name]["bytes"] > MAX_ROWS:
            raise BadArchive(f"{name}: {self.files[name]['bytes']} bytes, expected at most {MAX_ROWS}.")
        rows = []
        for number, line in enumerate(b"".join(self.chunks(name)).splitlines(), start=1):
            row = _json(line, f"{name}, line {number}")
            if not isinstance(row, dict) or row.get("id") != number:
                raise BadArchive(f"{name}, line {number}: expected an object whose id is {number}.")
            rows.append(row)
        return rows

    def _read_manifest(self) -> dict[str, Any]:
        if MANIFEST not in self.members:
            raise BadArchive(f"{MANIFEST}: missing; this is no archive of a contest.")
        try:
            with self.zip.open(self.members[MANIFEST]) as stream:
                content = stream.read(MAX_MANIFEST + 1)
        except DAMAGE as error:
            raise BadArchive(f"{MANIFEST}: damaged ({error}).") from None
        if len(content) > MAX_MANIFEST:
            raise BadArchive(f"{MANIFEST}: longer than {MAX_MANIFEST} bytes.")
        manifest = _json(content, MANIFEST)
        _check_manifest(manifest, self.kind)
        return dict(manifest)

    def _compare_lists(self, max_total: int) -> None:
        unlisted = sorted(set(self.members) - set(self.files) - {MANIFEST})
        absent = sorted(set(self.files) - set(self.members))
        if unlisted:
            raise BadArchive(f"{unlisted[0]}: not in the manifest.")
        if absent:
            raise BadArchive(f"{absent[0]}: in the manifest, but not in the archive.")
        total = sum(facts["bytes"] for facts in self.files.values())
        if total > max_total:
            raise BadArchive(f"The files have {total} bytes when unpacked, expected at most {max_total}.")


def verify(archive: Archive) -> list[str]:
    """Check everything; returns one sentence a thing that holds, or raises `BadArchive`."""
    archive.verify_files()
    tables = {table: archive.rows(table) for table in archive.manifest["tables"]}
    said = [f"{len(archive.files)} files have the lengths and hashes of the manifest."]
    said.append(_check_references(archive.manifest, tables))
    said.append(_check_files(archive, tables))
    said.append(check_commitments(tables.get("commitment", [])))
    said.append(check_audit(tables.get("auditevent", [])))
    return said


def _check_references(manifest: dict[str, Any], tables: dict[str, list[dict[str, Any]]]) -> str:
    checked = 0
    for table, columns in manifest["references"].items():
        for row in tables.get(table, []):
            for column, target in columns.items():
                value = row.get(column)
                if value is None:
                    continue
                if not isinstance(value, int) or not 1 <= value <= len(tables.get(target, [])):
                    raise BadArchive(
                        f"rows/{table}.jsonl, row {row['id']}: {column} is {value!r}, expected the number of "
                        f"one of the {len(tables.get(target, []))} rows of {target}."
                    )
                checked += 1
    return f"{checked} references between {sum(map(len, tables.values()))} rows lead somewhere."


def _check_files(archive: Archive, tables: dict[str, list[dict[str, Any]]]) -> str:
    withheld = set(archive.manifest["withheld"])
    used = 0
    for table, row, column, sha256 in _named_files(archive.manifest, tables):
        if sha256 not in archive.by_hash and sha256 not in withheld:
            raise BadArchive(
                f"rows/{table}.jsonl, row {row['id']}: the file {sha256} of {column} is missing."
            )
        used += 1
    return f"{used} files named by rows are there; {len(withheld)} are withheld, with their hashes only."


def _named_files(
    manifest: dict[str, Any], tables: dict[str, list[dict[str, Any]]]
) -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Table, row, column and hash of every file that a row names."""
    for table, columns in manifest["file_columns"].items():
        for row in tables.get(table, []):
            yield from ((table, row, column, str(row[column])) for column in columns if row.get(column))
    for table, columns in manifest.get("file_maps", {}).items():
        for row in tables.get(table, []):
            for column in columns:
                if not isinstance(row.get(column), dict):
                    where = f"rows/{table}.jsonl, row {row['id']}"
                    raise BadArchive(f"{where}: expected {column} to be names with hashes.")
                yield from ((table, row, column, str(sha256)) for sha256 in row[column].values())


def check_commitments(rows: list[dict[str, Any]]) -> str:
    for row in rows:
        found = hashlib.sha256(str(row.get("payload")).encode("utf-8")).hexdigest()
        if found != row.get("sha256"):
            raise BadArchive(f"rows/commitment.jsonl, row {row['id']}: sha256 {found}, published another.")
    return f"{len(rows)} published hashes are the hashes of what was revealed."


def check_audit(rows: list[dict[str, Any]]) -> str:
    """Every row's hash covers its content and the hash before it."""
    previous = ""
    for number, row in enumerate(rows, start=1):
        if row.get("number") != number:
            raise BadArchive(f"Audit log: expected row {number} of the chain, got {row.get('number')!r}.")
        found = audit_hash(previous, row)
        if found != row.get("hash"):
            raise BadArchive(f"Audit log: row {number} ({row.get('verb')}) was changed or follows another.")
        previous = found
    return f"The audit log is one unbroken chain of {len(rows)} rows; its last hash is {previous or 'none'}."


HASHED = ("number", "at", "actor_name", "verb", "subject", "before", "after", "reason")


def audit_hash(previous: str, row: dict[str, Any]) -> str:
    """sha256 of the hash before and the row's content, written in the one canonical way."""
    content = {"previous": previous} | {name: row.get(name) for name in HASHED}
    text = json.dumps(whole(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def whole(value: Any) -> Any:
    """Databases write 1e20 in different ways, so a number without a fraction counts as a whole number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): whole(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [whole(part) for part in value]
    return value


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    members: dict[str, zipfile.ZipInfo] = {}
    for member in archive.infolist():
        name = member.orig_filename
        if not NAME.fullmatch(name):
            raise BadArchive(f"{name!r}: expected a plain relative path.")
        if name in members:
            raise BadArchive(f"{name}: twice in the archive.")
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            raise BadArchive(f"{name}: expected a regular file, no link and no device.")
        if member.flag_bits & 0x1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadArchive(f"{name}: expected a file stored or deflated, not encrypted.")
        members[name] = member
    return members


def _check_manifest(manifest: Any, kind: str) -> None:
    if not isinstance(manifest, dict) or manifest.get(kind) not in FORMATS:
        raise BadArchive(f"{MANIFEST}: expected {kind!r} of format {' or '.join(map(str, FORMATS))}.")
    shapes: dict[str, type] = {
        "files": dict, "tables": list, "references": dict, "file_columns": dict, "withheld": list
    }  # fmt: skip
    for key, shape in shapes.items():
        if not isinstance(manifest.get(key), shape):
            raise BadArchive(f"{MANIFEST}: expected {key!r} to be a {shape.__name__}.")
    if not isinstance(manifest.setdefault("file_maps", {}), dict):
        raise BadArchive(f"{MANIFEST}: expected 'file_maps' to be a dict.")
    for key in ("references", "file_columns", "file_maps"):
        for table, columns in manifest[key].items():
            if table not in manifest["tables"] or not isinstance(columns, dict | list):
                raise BadArchive(f"{MANIFEST}: {key!r} names a table {table!r} that is not there.")
    for name, facts in manifest["files"].items():
        sound = isinstance(facts, dict) and isinstance(facts.get("bytes"), int) and facts["bytes"] >= 0
        if not sound or not SHA256.fullmatch(str(facts.get("sha256"))):
            raise BadArchive(f"{MANIFEST}: {name}: expected its length and its sha256.")


def _json(content: bytes, where: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON")

    parse: Callable[..., Any] = json.loads
    try:
        return parse(content.decode("utf-8"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise BadArchive(f"{where}: not JSON in UTF-8 ({error}).") from None


def _directory_start(path: Path) -> int:
    """Where the list of members begins, as the end of the file says; zipfile reads that list whole."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 65557))
        end = file.read()
    place = end.rfind(b"PK\x05\x06")
    if place < 0 or len(end) < place + 22:
        raise BadArchive(f"{path.name}: not a zip.")
    offset = int.from_bytes(end[place + 16 : place + 20], "little")
    return path.stat().st_size if offset == 0xFFFFFFFF else offset


def main(words: list[str]) -> int:
    if len(words) != 1:
        print("usage: python3 verify.py ARCHIVE.zip", file=sys.stderr)
        return 2
    try:
        with Archive(Path(words[0])) as archive:
            for sentence in verify(archive):
                print(sentence)
    except BadArchive as error:
        print(f"BROKEN: {error}")
        return 1
    print("Everything holds.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
