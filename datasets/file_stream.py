"""Several named files as one stream of bytes: what a process that nobody trusts may send back.

The stream can express regular files and nothing else: a mark, one line of JSON with names and sizes, then the
contents one after the other. Nothing in it is believed: names, number and sizes are checked before a byte is
kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from datasets.messages import Message, Template

MARK = b"kakurenbo-files 1\n"
CHUNK = 256 * 1024
PART = r"[\w+@=(),][\w.+@=(), -]{0,99}"
NAME = re.compile(rf"{PART}(?:/{PART}){{0,7}}")
"""Up to eight parts of letters, digits and a few signs, none of which begins with a dot."""

NO_STREAM = Template("stream.mark", "a stream of files")
BAD_INDEX = Template("stream.index", "a list of names and sizes")
BAD_NAME = Template("stream.name", "a plain relative path of at most eight parts")
TWICE = Template("stream.twice", "every name once, as a file or as a folder")
TOO_MANY = Template("stream.too-many", "at most %(n)s files")
TOO_LARGE = Template("stream.too-large", "at most %(n)s bytes in all")
OTHER_LENGTH = Template("stream.length", "as many bytes as its index says")


class BadStream(ValueError):
    """The bytes are no stream of files within the limits; ``expected`` says what they are not."""

    def __init__(self, expected: Message) -> None:
        super().__init__(str(expected))
        self.expected = expected


@dataclass(frozen=True)
class StreamLimits:
    """How much a stream may hold."""

    files: int = 1000
    total_bytes: int = 64 * 1024 * 1024
    index_bytes: int = 1024 * 1024


def write_stream(folder: Path, target: BinaryIO) -> None:
    """Write the regular files below a folder; links, pipes and devices are left out."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if _is_plain(path)}
    index = [[name, paths[name].stat().st_size] for name in sorted(paths)]
    target.write(MARK + json.dumps(index).encode() + b"\n")
    for name, _size in index:
        with paths[str(name)].open("rb") as source:
            for chunk in iter(lambda: source.read(CHUNK), b""):
                target.write(chunk)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def read_stream(data: bytes, limits: StreamLimits | None = None) -> dict[str, bytes]:
    """The files of a stream by name, or `BadStream`.

    >>> read_stream(MARK + b'[["a/b.csv", 2], ["c", 1]]\\n1\\n2')
    {'a/b.csv': b'1\\n', 'c': b'2'}
    >>> read_stream(MARK + b'[["../b", 0]]\\n')
    Traceback (most recent call last):
    datasets.file_stream.BadStream: a plain relative path of at most eight parts
    """
    limits = limits or StreamLimits()
    end = data.find(b"\n", len(MARK), len(MARK) + limits.index_bytes)
    if not data.startswith(MARK) or end < 0:
        raise BadStream(NO_STREAM())
    index = _index(data[len(MARK) : end], limits)
    start = end + 1
    if sum(index.values()) != len(data) - start:
        raise BadStream(OTHER_LENGTH())
    return dict(_cut(data, start, index))


def _cut(data: bytes, start: int, index: Mapping[str, int]) -> Iterator[tuple[str, bytes]]:
    for name, size in index.items():
        yield name, data[start : start + size]
        start += size


def _index(text: bytes, limits: StreamLimits) -> dict[str, int]:
    try:
        pairs = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadStream(BAD_INDEX()) from error
    if not isinstance(pairs, list):
        raise BadStream(BAD_INDEX())
    if len(pairs) > limits.files:
        raise BadStream(TOO_MANY(n=limits.files))
    index: dict[str, int] = {}
    for pair in pairs:
        name, size = pair if isinstance(pair, list) and len(pair) == 2 else (None, None)
        if not isinstance(name, str) or type(size) is not int or size < 0:
            raise BadStream(BAD_INDEX())
        if not NAME.fullmatch(name):
            raise BadStream(BAD_NAME())
        if name in index:
            raise BadStream(TWICE())
        index[name] = size
    folders = {"/".join(name.split("/")[:n]) for name in index for n in range(1, name.count("/") + 1)}
    if folders & set(index):
        raise BadStream(TWICE())
    if sum(index.values()) > limits.total_bytes:
        raise BadStream(TOO_LARGE(n=limits.total_bytes))
    return index
