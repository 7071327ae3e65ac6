"""What a game gives back is believed only so far: numbers are finite, refusals quote nothing but the upload.

A refusal is shown to a team, and the code that makes it may have read secrets. So it consists of declared
sentences, places in the upload, cells of the upload, numbers, and names that the game declares.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from datasets.messages import PLACEHOLDER, Message, Template
from datasets.problems import shown
from games.contract.broken import (
    BAD_BOARD,
    BAD_COVER,
    BAD_REFUSAL,
    BAD_RISK,
    BAD_TARGET,
    BAD_VERDICT,
    NOT_FINITE,
    NOT_MADE,
    NUMBER_MISSING,
    OTHER_TYPE,
    TOO_MANY_FACTS,
    TOO_MANY_NUMBERS,
    TOO_MANY_REFUSALS,
    TOO_MANY_TARGETS,
    TOO_MUCH_EVIDENCE,
    BadAnswer,
    BrokenGame,
)
from games.contract.declaration import Declaration, File
from games.contract.files import spread
from games.contract.values import Board, Box, Fault, Figures, Result, Row, Target, Verdict

MOST_FAULTS = 1000
MOST_VALUES = 8
"""Of a message: those beyond have no place."""
MOST_FIGURES = 1000
MOST_EVIDENCE = 16 * 1024 * 1024
"""Bytes of the evidence of one result."""
LONGEST = 100
"""Characters of a name, a cell or a value in a refusal."""
LARGEST = 10**15
MOST_FACTS = 64 * 1024
"""Bytes of the facts for the data page."""
MOST_ROWS = 10_000

TARGET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}(?:/[A-Za-z0-9][A-Za-z0-9_.-]{0,59}){0,3}")
"""The key of a target of the organisers."""
A_DECLARED_CODE = Template("refusal.code", "the code of a message that the game declares")
A_FILE = Template("refusal.file", "a file of the upload or one that the game declares for it")
A_LINE = Template("refusal.line", "a line of the file")
A_COLUMN = Template("refusal.column", "a column that the game declares for the file")
A_CELL = Template("refusal.cell", "a cell of the upload at that place")
A_KNOWN_KEY = Template("board.key", "a team, an attacker or a target of this round")
SOME_ROWS = Template("board.rows", "at most %(n)s rows")
A_BOARD = Template("board.board", "a name, columns, rows and who may see it")
A_CHAIN = Template("board.chain", "finite numbers that order the rows")
A_NAME = Template("refusal.name", "a value that the message has a place for")
A_VALUE = Template("refusal.value", "a number up to %(n)s, a declared name, or a cell of the upload")


def require_type(value: Any, *wanted: type) -> Any:
    """The value, where it is of a type that the contract names."""
    if not isinstance(value, wanted):
        expected = " or ".join(kind.__name__ for kind in wanted)
        raise BadAnswer(OTHER_TYPE(got=type(value).__name__, expected=expected))
    return value


def require_made(declared: Sequence[File], made: Mapping[str, bytes]) -> None:
    """All files that a game must make are there."""
    for file in declared:
        for name in file.names():
            if file.required and name not in made and "{" not in name:
                raise BrokenGame(NOT_MADE(name=name))


def require_numbers(names: Sequence[str], numbers: Figures) -> None:
    """Every declared number is there, and each that is given is finite or none."""
    if len(require_type(numbers, Mapping)) > MOST_FIGURES:
        raise BrokenGame(TOO_MANY_NUMBERS(got=len(numbers), n=MOST_FIGURES))
    for name in names:
        if name not in numbers:
            raise BrokenGame(NUMBER_MISSING(name=name))
    for name, value in numbers.items():
        if not _is_finite_or_none(value):
            raise BrokenGame(NOT_FINITE(got=shown(_text(value)), name=shown(name)))


def _is_finite_or_none(value: Any) -> bool:
    if value is None:
        return True
    try:
        return not isinstance(value, str) and math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def _text(value: Any) -> str:
    """A number as people read it; one with thousands of digits has no text."""
    try:
        return str(value)
    except ValueError:
        return "a number of more than 4,000 digits"


def require_result(names: Sequence[str], result: Result) -> None:
    """A result has a risk from 0 to 1, the numbers of its challenge, and evidence of a bounded size."""
    risk = require_type(result, Result).risk
    if risk is not None and not (_is_finite_or_none(risk) and 0 <= risk <= 1):
        raise BrokenGame(BAD_RISK(got=shown(_text(risk))))
    require_numbers(names, result.numbers)
    bounds = () if result.interval is None else tuple(result.interval)
    if len(bounds) not in (0, 2):
        raise BadAnswer(OTHER_TYPE(got=f"tuple[{len(bounds)}]", expected="tuple[2]"))
    require_numbers((), {"baseline": result.baseline, **{f"bound {n}": one for n, one in enumerate(bounds)}})
    size = _size(result.evidence)
    if size > MOST_EVIDENCE:
        raise BrokenGame(TOO_MUCH_EVIDENCE(got=size, n=MOST_EVIDENCE))


def _size(value: Any) -> int:
    """About how many bytes a value takes."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, Mapping):
        return sum(len(str(name)) + _size(one) for name, one in value.items())
    if isinstance(value, tuple | list):
        return 8 + sum(map(_size, value))
    return len(value) if isinstance(value, str | bytes) else 8


def require_cover(said: Sequence[Any], declaration: Declaration, targets: Sequence[Target]) -> None:
    """An answer covers pairs of a target and a challenge that there are, each once."""
    known = {(target.key, challenge.name) for target in targets for challenge in declaration.challenges}
    seen = set()
    for one in said:
        if isinstance(one, Fault):
            continue
        is_pair = isinstance(one, tuple) and all(isinstance(part, str) for part in one)
        if not is_pair or one not in known or one in seen:
            raise BrokenGame(BAD_COVER(got=shown(str(one))))
        seen.add(one)


def require_targets(targets: Sequence[Any]) -> None:
    """The organisers' targets have keys that can be parts of paths, each once, and short labels."""
    seen = set()
    for one in targets:
        match one:
            case (str(key), Mapping() as labels) if TARGET.fullmatch(key) and key not in seen:
                words = [*labels, *labels.values()]
                if len(words) <= 2 * MOST_VALUES and all(len(_text(word)) <= LONGEST for word in words):
                    seen.add(key)
                    continue
        raise BrokenGame(BAD_TARGET(got=shown(str(one)[:LONGEST])))
    if len(seen) > MOST_FIGURES:
        raise BrokenGame(TOO_MANY_TARGETS(got=len(seen), n=MOST_FIGURES))


def require_verdict(declaration: Declaration, verdict: Verdict) -> None:
    """A verdict names measures or declared messages, and its numbers are finite."""
    known = {number.name for number in declaration.measures} | set(declaration.messages)
    for name in require_type(verdict.because, tuple):
        if name not in known:
            raise BrokenGame(BAD_VERDICT(got=shown(_text(name))))
    require_numbers((), {"utility": verdict.utility})
    require_numbers((), verdict.parts)


def require_facts(facts: Mapping[str, Any]) -> None:
    """The facts for the data page are few and short."""
    size = _size(facts)
    if size > MOST_FACTS:
        raise BrokenGame(TOO_MANY_FACTS(got=size, n=MOST_FACTS))


def require_boards(boards: Sequence[Board], known: set[str]) -> None:
    """Boards rank those who take part, by finite numbers."""
    for board in boards:
        columns = require_type(board.columns, tuple)
        has_columns = len(columns) <= MOST_FIGURES and all(isinstance(one, str) for one in columns)
        is_shown = board.shown in ("all", "own row", "organisers")
        if not (isinstance(board.name, str) and has_columns and is_shown):
            raise BrokenGame(BAD_BOARD(got=shown(_text(board.name)), expected=A_BOARD()))
        if len(require_type(board.rows, tuple)) > MOST_ROWS:
            raise BrokenGame(BAD_BOARD(got=len(board.rows), expected=SOME_ROWS(n=MOST_ROWS)))
        for row in board.rows:
            if require_type(row, Row).key not in known:
                raise BrokenGame(BAD_BOARD(got=shown(_text(row.key)), expected=A_KNOWN_KEY()))
            require_numbers(board.columns, row.values)
            for number in row.chain or ():
                if number is None or not _is_finite_or_none(number):
                    raise BrokenGame(BAD_BOARD(got=shown(_text(number)), expected=A_CHAIN()))


class Refusals:
    """The faults that a game may report about one upload."""

    def __init__(
        self, declaration: Declaration, declared: Sequence[File], upload: Box, targets: Sequence[Target] = (),
        slot: str = "",
    ) -> None:  # fmt: skip
        self.declaration, self.upload = declaration, upload
        keys = tuple(target.key for target in targets)
        self.files = {name: file for file in declared for name in file.names(keys, slot)}
        self.columns = {
            name: {column for _, column in spread(file.columns, keys)} for name, file in self.files.items()
        }
        self._lines: dict[str, list[str]] = {}
        self._all_cells: dict[str, set[str]] = {}

    def required(self, faults: Iterable[Fault]) -> Iterator[Fault]:
        """The faults as they are; the first that says more than it may stops the game."""
        for number, fault in enumerate(faults, start=1):
            if number > MOST_FAULTS:
                raise BrokenGame(TOO_MANY_REFUSALS(n=MOST_FAULTS))
            self._require(fault)
            yield fault

    def _require(self, fault: Fault) -> None:
        if fault.code not in self.declaration.messages:
            raise _bad(fault.code, A_DECLARED_CODE())
        if fault.file not in self.files and fault.file not in self.upload.names():
            raise _bad(fault.file, A_FILE())
        if fault.line is not None and not self._is_line(fault.file, fault.line):
            raise _bad(fault.line, A_LINE())
        if fault.column is not None and fault.column not in self.columns.get(fault.file, ()):
            raise _bad(fault.column, A_COLUMN())
        if fault.got is not None and fault.got not in self._cells(fault.file, fault.line):
            raise _bad(fault.got, A_CELL())
        values = fault.values if isinstance(fault.values, Mapping) else {"values": fault.values}
        named = {name for text in self.declaration.messages[fault.code].values() for name in _names_in(text)}
        for name, value in values.items():
            if name not in named:
                raise _bad(name, A_NAME())
            if not self._may_say(value):
                raise _bad(value, A_VALUE(n=LARGEST))

    def _may_say(self, value: Any) -> bool:
        if isinstance(value, str):
            if len(value) > LONGEST:
                return False
            names = value in self.files or any(value in columns for columns in self.columns.values())
            return names or any(value in self._cells(name) for name in self.upload.names())
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and _is_finite_or_none(value) and abs(value) <= LARGEST

    def _is_line(self, name: str, line: Any) -> bool:
        return type(line) is int and 1 <= line <= len(self._lines_of(name))

    def _cells(self, name: str, line: int | None = None) -> set[str]:
        """The cells of a table of the upload, or of one line; bytes that only the game reads have none."""
        if not self.columns.get(name):
            return set()
        if line is not None:
            return _cut(self._lines_of(name)[line - 1 : line])
        if name not in self._all_cells:
            self._all_cells[name] = _cut(self._lines_of(name))
        return self._all_cells[name]

    def _lines_of(self, name: str) -> list[str]:
        if name not in self._lines:
            content = b""
            if name in self.upload.names():
                with self.upload.open(name) as file:
                    content = file.read()
            text = content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
            self._lines[name] = text.removesuffix("\n").split("\n")
        return self._lines[name]


def _names_in(text: str) -> list[str]:
    return PLACEHOLDER.findall(text)[:MOST_VALUES]


def _cut(lines: Iterable[str]) -> set[str]:
    return {cell for line in lines for cell in line.split(",") if len(cell) <= LONGEST}


def _bad(got: Any, expected: Message) -> BrokenGame:
    return BrokenGame(BAD_REFUSAL(got=shown(_text(got)), expected=expected))
