"""Reading a table: cells cut by `datasets.tokens`, each distinct text judged once by `datasets.cells`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from datasets.cells import BadCell, Parse
from datasets.csv_forms import CouldHold
from datasets.diagnosis import diagnose, too_large
from datasets.messages import Message, Template
from datasets.problems import Findings
from datasets.samples import Sample, read_head, size_of
from datasets.tables import Coded, Codes
from datasets.tokens import Block, Cells, Headed, Layout, Lines, read_blocks

Source = BinaryIO | Path
ParseAll = Callable[[list[str]], Sequence[object] | None]
ROWS_A_PIECE = 1_000_000
BAD = -1
"""The code of a cell that could not be read; a problem says why."""
NOT_UTF8 = Template("not-utf8", "UTF-8 text")


@dataclass(frozen=True)
class Column:
    """What a column is called, how long its cells may be, and how one is read."""

    name: str
    longest: int
    parse: Parse
    parse_all: ParseAll | None = None
    """Reads many texts at once, or returns None where one is bad: a shortcut for columns of many texts."""


@dataclass(frozen=True, eq=False)
class Read:
    """A column as read: ``values[codes[i]]`` is the value of row i; texts of equal value share a code."""

    codes: Codes
    values: list[Any]

    @property
    def clean(self) -> bool:
        return bool((self.codes >= 0).all())

    def repeats(self) -> npt.NDArray[np.intp]:
        """The rows whose value an earlier row has."""
        again = self.codes >= 0
        again[np.unique(self.codes, return_index=True)[1]] = False
        return np.flatnonzero(again)

    def where(self, value: object) -> npt.NDArray[np.bool_]:
        """Which rows hold this value."""
        if value not in self.values:
            return np.zeros(len(self.codes), dtype=bool)
        return self.codes == self.values.index(value)

    def coded(self) -> Coded:
        """The column as texts, with labels sorted. All cells must be good."""
        texts = ["" if value is None else str(value) for value in self.values]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        labels = np.empty(len(order), dtype=object)
        labels[:] = [texts[index] for index in order]
        return Coded.of(_looked_up(rank, self.codes), labels)

    def texts(self) -> npt.NDArray[np.object_]:
        """The text of every row. All cells must be good."""
        labels = np.empty(len(self.values), dtype=object)
        labels[:] = self.values
        return labels[self.codes]

    def numbers(self, dtype: npt.DTypeLike = np.int64) -> npt.NDArray:
        """The column as whole numbers; bad cells, and cells that are legally empty (None), are 0."""
        values = np.array([0 if value is None else value for value in [*self.values, 0]], dtype=dtype)
        return _looked_up(values, self.codes)


@dataclass(frozen=True, eq=False)
class TableRead:
    """The rows of a file that have the right number of cells, and their lines."""

    columns: dict[str, Read]
    lines: Lines
    n_lines: int
    """How many lines of data the file has, broken ones too."""

    @property
    def n_rows(self) -> int:
        return len(self.lines)

    def __getitem__(self, name: str) -> Read:
        return self.columns[name]

    def release(self, name: str) -> Read:
        """Hand a column over and forget it, so that its memory is free as soon as the caller is done."""
        return self.columns.pop(name)


def _looked_up(table: npt.NDArray, codes: Codes) -> npt.NDArray:
    """``table[codes]``, piece by piece: numpy widens all indices to 64 bits first, which needs memory."""
    values = np.empty(len(codes), dtype=table.dtype)
    for first in range(0, len(codes), ROWS_A_PIECE):
        piece = slice(first, first + ROWS_A_PIECE)
        values[piece] = table[codes[piece]]
    return values


class _Growing:
    """A long array that grows at its end. Many small ones, joined at last, would hold the memory twice."""

    def __init__(self) -> None:
        self._array = np.empty(0, dtype=np.int32)
        self._size = 0

    def append(self, values: npt.NDArray[np.int32]) -> None:
        size = self._size + len(values)
        if size > len(self._array):
            self._array.resize(max(size, len(self._array) * 3 // 2), refcheck=False)
        self._array[self._size : size] = values
        self._size = size

    def values(self) -> npt.NDArray[np.int32]:
        self._array.resize(self._size, refcheck=False)
        return self._array


class _ColumnReader:
    """Gathers one column over the blocks of a file. Only good texts are stored between blocks."""

    def __init__(self, column: Column, rank: int) -> None:
        self.column = column
        self.rank = rank
        self.code_of_text: dict[bytes, int] = {}
        self.code_of_value: dict[object, int] = {}
        self.codes = _Growing()

    def take(self, cells: Cells, lines: Lines, found: Findings) -> None:
        known, faults = self.code_of_text, {}
        codes = [known.get(text) for text in cells.texts]
        fresh = [index for index, code in enumerate(codes) if code is None]
        values = self._judge([cells.texts[index] for index in fresh])
        for index, value in zip(fresh, values, strict=True):
            if isinstance(value, BadCell):
                faults[index] = value
                codes[index] = BAD
            else:
                code = self.code_of_value.setdefault(value, len(self.code_of_value))
                codes[index] = known[cells.texts[index]] = code
        lookup = np.array([*codes, BAD], dtype=np.int32)
        self.codes.append(lookup[cells.codes])
        if faults:
            self._report(faults, cells, lines, found)

    def _judge(self, texts: list[bytes]) -> Sequence[object]:
        """The value of each text, or the `BadCell` that it is; all at once where nothing is wrong."""
        if self.column.parse_all is not None and texts:
            try:
                values = self.column.parse_all(b"\n".join(texts).decode("utf-8").split("\n"))
            except UnicodeDecodeError:
                values = None
            if values is not None:
                return values
        return [_value_or_fault(text, self.column.parse) for text in texts]

    def _report(self, faults: dict[int, BadCell], cells: Cells, lines: Lines, found: Findings) -> None:
        """Group the problems by kind; one pass over the rows per kind, however many texts are bad."""
        kinds: dict[Message, list[int]] = {}
        for index, fault in faults.items():
            kinds.setdefault(fault.expected, []).append(index)
        for expected, indices in kinds.items():
            bad = np.zeros(len(cells.texts) + 1, dtype=bool)
            bad[indices] = True
            rows = np.flatnonzero(bad[cells.codes])
            found.add_rows(
                expected,
                lines[rows],
                lambda k, rows=rows: cells.texts[cells.codes[rows[k]]],  # type: ignore[misc]
                column=self.column.name,
                rank=self.rank,
            )

    def read(self) -> Read:
        return Read(self.codes.values(), list(self.code_of_value))


def _value_or_fault(text: bytes, parse: Parse) -> object:
    try:
        return parse(text.decode("utf-8"))
    except UnicodeDecodeError:
        return BadCell(NOT_UTF8())
    except BadCell as fault:
        return fault


def read_table(
    source: Source,
    columns: tuple[Column, ...],
    found: Findings,
    max_bytes: int,
    headed: Headed = "optional",
) -> TableRead:
    """Read a file, noting every line and cell that is not as the columns say."""
    names, longest = (tuple(column.name for column in columns), tuple(column.longest for column in columns))
    layout = Layout(names, longest, headed, could_hold(columns))
    readers = [_ColumnReader(column, rank) for rank, column in enumerate(columns)]
    lines = _Growing()
    n_lines = 0
    for block in read_blocks(source, layout, found, max_bytes):
        n_lines += block.n_lines
        lines.append(block.lines)
        _take(block, readers, found)
    holds = layout.could_hold
    if holds is not None:
        found.sample = Sample(found.file, b"", names, holds)
    if found.total and found.sample is not None:
        _explain(source, found, n_lines, max_bytes)
    return TableRead(
        {reader.column.name: reader.read() for reader in readers},
        lines.values(),
        n_lines,
    )


def _explain(source: Source, found: Findings, n_lines: int, max_bytes: int) -> None:
    """Look at the beginning of a refused file again, for what explains its problems."""
    assert found.sample is not None
    found.sample = replace(found.sample, head=read_head(source))
    size = size_of(source)
    if size is not None and size > max_bytes:
        found.explain([too_large(found.file, size, max_bytes)])
    else:
        found.explain(diagnose(found.sample, found.verdict(), n_lines))


def could_hold(columns: Sequence[Column]) -> CouldHold:
    """Whether a text could be in a column, by the number of the column."""

    def holds(rank: int, text: str) -> bool:
        column = columns[rank]
        if len(text.encode("utf-8", "replace")) > column.longest:
            return False
        try:
            column.parse(text)
        except BadCell:
            return False
        return True

    return holds


def _take(block: Block, readers: list[_ColumnReader], found: Findings) -> None:
    for reader, cells in zip(readers, block.columns, strict=True):
        reader.take(cells, block.lines, found)
