"""A stream of files holds regular files within its limits, or it is refused whole."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from datasets.file_stream import MARK, BadStream, StreamLimits, read_stream, write_stream

LIMITS = StreamLimits(files=3, total_bytes=100, index_bytes=200)


def stream(index: Any, content: bytes = b"") -> bytes:
    return MARK + json.dumps(index).encode() + b"\n" + content


def test_files_come_back_as_they_were_and_nothing_else_does(tmp_path: Path) -> None:
    files = {"answer.json": b"{}\n", "files/a.csv": b"1\n2\n", "files/empty": b"", "会員.csv": b"\0\xff"}
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "folder-link").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    target = io.BytesIO()
    write_stream(tmp_path, target)
    assert read_stream(target.getvalue()) == files


BAD = {
    "nothing": (b"", "stream.mark"),
    "another mark": (b"PK\x03\x04", "stream.mark"),
    "no end of the index": (MARK + b"[]", "stream.mark"),
    "an index that is too long": (stream([["x" * 300, 0]]), "stream.mark"),
    "no JSON": (MARK + b"[\n", "stream.index"),
    "a mapping": (stream({}), "stream.index"),
    "a name alone": (stream(["a"]), "stream.index"),
    "a negative size": (stream([["a", -1], ["b", 1]]), "stream.index"),
    "a size that is true": (stream([["a", True]], b"1"), "stream.index"),
    "a real size": (stream([["a", 1.0]], b"1"), "stream.index"),
    "a path upwards": (stream([["../a", 0]]), "stream.name"),
    "an absolute path": (stream([["/a", 0]]), "stream.name"),
    "a hidden file": (stream([[".a", 0]]), "stream.name"),
    "a line feed": (stream([["a\n", 0]]), "stream.name"),
    "a backslash": (stream([["a\\b", 0]]), "stream.name"),
    "an empty name": (stream([["", 0]]), "stream.name"),
    "nine parts": (stream([["a/a/a/a/a/a/a/a/a", 0]]), "stream.name"),
    "a name twice": (stream([["a", 0], ["a", 0]]), "stream.twice"),
    "a file in a file": (stream([["a/b", 0], ["a", 0]]), "stream.twice"),
    "too many files": (stream([[f"f{n}", 0] for n in range(4)]), "stream.too-many"),
    "too many bytes": (stream([["a", 101]], bytes(101)), "stream.too-large"),
    "fewer bytes than it says": (stream([["a", 3]], b"12"), "stream.length"),
    "more bytes than it says": (stream([["a", 1]], b"12"), "stream.length"),
}


@pytest.mark.parametrize("what", BAD)
def test_anything_else_is_refused_whole(what: str) -> None:
    data, code = BAD[what]
    with pytest.raises(BadStream) as caught:
        read_stream(data, LIMITS)
    assert caught.value.expected.code == code
