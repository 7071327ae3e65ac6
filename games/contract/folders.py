"""A call of a verb as a folder, and back: what a process that knows nothing but this folder needs.

One JSON file holds the verb with its arguments, or what came of it; boxes are folders of files and arrays are
`.npy` files beside it. Nothing is pickled, and only the contract's own types are made again, so
an answer can come from a process that nobody trusts.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from datasets.messages import Message, Template, message_from
from datasets.problems import Problem, shown
from datasets.remarks import Remark, remark_from
from games.contract.boxes import EMPTY, FolderBox
from games.contract.broken import NO_ANSWER, NOT_FILES, TOO_LARGE, BadAnswer
from games.contract.messages import SAID_BY_GAME, SAID_IN_LANGUAGES
from games.contract.values import (
    Bars,
    Board,
    Cell,
    Curves,
    Fault,
    FileVerdict,
    Heatmap,
    Hidden,
    Question,
    Result,
    Row,
    Seat,
    Target,
    Verdict,
    World,
)

TYPES: dict[str, Any] = {
    made.__name__: made
    for made in (
        Bars, Board, Cell, Curves, Fault, Heatmap, Hidden, Question, Result, Row, Seat, Target, Verdict,
        World,
    )
}  # fmt: skip
MARK = "$"
"""The key of a mapping that stands for something that JSON does not have."""
MOST_BYTES = 64 * 1024 * 1024
"""Of the JSON of a call or an answer."""


A_VALUE = Template("folder.value", "values of the contract in %(name)s, not %(error)s")
ESCAPES = Template("folder.escapes", "names of files beside it")


class Writer:
    """Writes values into a folder; a box that is given several times is written once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count()
        self._boxes: dict[int, tuple[Any, str]] = {}

    def write(self, name: str, value: Any) -> None:
        text = json.dumps(self.encoded(value), allow_nan=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    def encoded(self, value: Any) -> Any:
        kind = type(value).__name__
        if TYPES.get(kind) is type(value):
            return {MARK: kind, "fields": [self.encoded(field) for field in value]}
        if isinstance(value, FileVerdict):
            return {MARK: "problems", **_as_data(value)}
        if isinstance(value, np.random.Generator):
            return {MARK: "generator", "state": value.bit_generator.state}
        if isinstance(value, np.ndarray):
            return {MARK: "array", "file": self._saved(value)}
        if hasattr(value, "names") and hasattr(value, "open"):
            return {MARK: "box", "folder": self._copied(value)}
        if isinstance(value, Mapping):
            return {MARK: "map", "items": [[str(key), self.encoded(one)] for key, one in value.items()]}
        if isinstance(value, tuple | list | Iterator):
            return {MARK: "tuple", "items": [self.encoded(one) for one in value]}
        if isinstance(value, np.generic):
            return value.item()
        return value

    def _saved(self, array: np.ndarray) -> str:
        name = f"array-{next(self._numbers)}.npy"
        plain = array.astype(str) if array.dtype == object else array
        np.save(self.folder / name, plain, allow_pickle=False)
        return name

    def _copied(self, box: Any) -> str:
        """The files of a box in a folder; empty ones need none."""
        if id(box) not in self._boxes:
            # The box is kept beside its folder, so that no other box gets its number.
            self._boxes[id(box)] = box, self._copy(box)
        return self._boxes[id(box)][1]

    def _copy(self, box: Any) -> str:
        names = box.names()
        if not names:
            return ""
        folder = f"box-{next(self._numbers)}"
        for name in names:
            path = self.folder / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with box.open(name) as source:
                path.write_bytes(source.read())
        return folder


class Reader:
    """Reads what a `Writer` wrote; a box that comes several times is the same box."""

    def __init__(self, folder: Path, most: int = MOST_BYTES) -> None:
        self.folder, self.most = folder, most
        self._boxes: dict[str, FolderBox] = {}

    def read(self, name: str) -> Any:
        path = self.folder / name
        if not path.is_file() or path.is_symlink():
            raise BadAnswer(NO_ANSWER())
        if path.stat().st_size > self.most:
            raise BadAnswer(TOO_LARGE(n=self.most))
        try:
            return self.decoded(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError, OSError, RecursionError) as error:
            wanted = A_VALUE(name=name, error=type(error).__name__)
            raise BadAnswer(NOT_FILES(expected=wanted)) from error

    def decoded(self, value: Any) -> Any:
        if isinstance(value, dict):
            kind = value[MARK]
            if kind in TYPES:
                return TYPES[kind](*map(self.decoded, value["fields"]))
            return _DECODERS[kind](self, value)
        if isinstance(value, list):
            raise TypeError("a bare list")
        return value

    def _array(self, value: Any) -> np.ndarray:
        """Only plain numbers and texts, and no more of them than the file holds."""
        path = self._inside(value["file"])
        with path.open("rb") as file:
            if np.lib.format.read_magic(file) != (1, 0):
                raise ValueError("another version of the array format")
            shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(file)
            size = math.prod(shape) * dtype.itemsize
            if dtype.hasobject or size != path.stat().st_size - file.tell():
                raise ValueError("an array that is not what its header says")
            return np.fromfile(file, dtype).reshape(shape, order="F" if is_fortran else "C")

    def _box(self, value: Any) -> Any:
        if not value["folder"]:
            return EMPTY
        place = self._inside(value["folder"])
        return self._boxes.setdefault(place.name, FolderBox(place))

    def _inside(self, name: str) -> Path:
        if not isinstance(name, str) or Path(name).name != name or (self.folder / name).is_symlink():
            raise BadAnswer(NOT_FILES(expected=ESCAPES()))
        return self.folder / name

    def _map(self, value: Any) -> Any:
        return {key: self.decoded(one) for key, one in value["items"]}

    def _tuple(self, value: Any) -> Any:
        return tuple(map(self.decoded, value["items"]))

    def _problems(self, value: Any) -> FileVerdict:
        counts = tuple(((file, column, code), int(n)) for file, column, code, n in value["counts"])
        problems, remarks = map(_problem_from, value["problems"]), map(_remark_from, value.get("remarks", ()))
        return FileVerdict(tuple(problems), int(value["total"]), counts, tuple(remarks))

    def _generator(self, value: Any) -> np.random.Generator:
        generator = np.random.default_rng(0)
        generator.bit_generator.state = value["state"]
        return generator


def _as_data(verdict: FileVerdict) -> dict[str, Any]:
    return {
        "problems": [problem.as_data() for problem in verdict.problems],
        "total": verdict.total,
        "counts": [[*kind, n] for kind, n in verdict.counts],
        "remarks": [remark.as_data() for remark in verdict.remarks],
    }


def _remark_from(data: Any) -> Remark:
    remark = remark_from(data)
    if remark is None or not _is_ours(remark.message) or not f"{remark.file}{remark.column}".isprintable():
        raise ValueError("a remark that is not the platform's")
    return remark


def _problem_from(data: Any) -> Problem:
    """A problem in the platform's own sentences; a game's words come as a `Fault` that it declares."""
    file, line, column, got = (data[name] for name in ("file", "line", "column", "got"))
    if not f"{file}{column}".isprintable() or not isinstance(line, int | None):
        raise ValueError("a place that no file has")
    quoted = _sentence(got) if isinstance(got, dict) else None if got is None else shown(got)
    return Problem(str(file), line, column and str(column), quoted, _sentence(data["expected"]))


def _sentence(data: Any) -> Message:
    message = message_from(data)
    if message is None or not _is_ours(message):
        raise ValueError("a message that is not the platform's")
    return message


SAID = (SAID_BY_GAME.code, SAID_IN_LANGUAGES.code)
"""What only the platform may say for a game: its words are free text."""


def _is_ours(value: Any) -> bool:
    if isinstance(value, Message):
        return value.code not in SAID and all(_is_ours(inner) for _, inner in value.pairs)
    return not isinstance(value, tuple) or all(map(_is_ours, value))


_DECODERS: dict[str, Callable[[Reader, Any], Any]] = {
    "array": Reader._array,
    "box": Reader._box,
    "generator": Reader._generator,
    "map": Reader._map,
    "problems": Reader._problems,
    "tuple": Reader._tuple,
}
