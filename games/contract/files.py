"""Checking and reading files as a game declares them, with the place of everything that is wrong."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from datasets.cells import BadCell, Parse
from datasets.diagnosis import diagnose_together
from datasets.messages import Message, Template
from datasets.plain import plain_content
from datasets.problems import LINES, MISSING_FILE, BadFiles, Findings, Verdict
from datasets.reader import Column as ReadColumn
from datasets.reader import Source, TableRead, read_table
from datasets.remarks import Remark
from datasets.tables import EPOCH
from datasets.tokens import BYTE_ORDER_MARK, LONGEST_LINE, TOO_LARGE
from games.contract.declaration import Column, File
from games.contract.values import Box

INTEGER = re.compile(r"-?[0-9]{1,15}")
REAL = re.compile(r"-?[0-9]{1,15}(?:\.([0-9]{1,25}))?(?:[eE][+-]?[0-9]{1,3})?")
CHUNK = 1024 * 1024
SHOWN_VALUES = 12
"""A domain with more values is described, not listed."""

UNKNOWN_FILE = Template("unknown-file", "only %(names)s")
ROWS_OF_FILE = Template("row-count.declared", "%(n)s rows")
ROWS_AS_IN = Template("row-count.as-in", "%(n)s rows, as %(file)s has")
VALUE_TWICE = Template("duplicate-value", "a value that no earlier line has")
BAD_TEXT = Template("bad-text", "a text of 1 to %(n)s bytes that can be printed")
BAD_INTEGER = Template("bad-integer", "an integer")
BAD_INTEGER_BETWEEN = Template("bad-integer.between", "an integer from %(low)s to %(high)s")
BAD_NUMBER = Template("bad-number", "a number")
BAD_NUMBER_BETWEEN = Template("bad-number.between", "a number from %(low)s to %(high)s")
TOO_EXACT = Template("too-many-decimals", "at most %(n)s digits after the point")
BAD_DAY = Template("bad-day", "a date that exists, as YYYY-MM-DD")
BAD_DAY_BETWEEN = Template("bad-day.between", "a date from %(low)s to %(high)s")
NOT_A_CHOICE = Template("not-a-choice", "one of %(names)s")
NOT_IN_FILE = Template("not-in-file", "a value of %(column)s in %(file)s")

Lookup = Callable[[str], tuple[File, Source] | None]
"""Finds a file that another declaration refers to."""


@dataclass(frozen=True, eq=False)
class CheckedFiles:
    """The verdict on the files of an upload, and the tables of those that have columns."""

    verdict: Verdict
    tables: Mapping[str, TableRead]


def nothing(name: str) -> None:
    """A lookup where there are no other files."""
    return


def check_files(
    declared: Sequence[File],
    box: Box,
    lookup: Lookup = nothing,
    targets: tuple[str, ...] = (),
    slot: str = "",
) -> CheckedFiles:
    """Check the files of an upload against their declarations. They may refer to each other."""
    expected = {name: file for file in declared for name in file.names(targets, slot)}
    given = set(box.names())
    verdicts, tables, samples = [], {}, []

    def known(name: str) -> tuple[File, Source] | None:
        if name in expected and name in given:
            return expected[name], box.open(name)
        return lookup(name)

    for name, file in expected.items():
        found = Findings(name)
        if name in given:
            with box.open(name) as source:
                if file.reader == "game":
                    _check_size(file, source, found)
                elif (table := _checked(file, source, found, known, targets)) is not None:
                    tables[name] = table
        elif file.required:
            found.add(MISSING_FILE(name=name))
        verdicts.append(found.verdict())
        if found.sample is not None:
            samples.append(found.sample)
    for name in sorted(given - set(expected)):
        found = Findings(name)
        found.add(UNKNOWN_FILE(names=list(expected)))
        verdicts.append(found.verdict())
    return CheckedFiles(diagnose_together(samples, Verdict.join(verdicts)), tables)


def read_file(
    file: File, source: Source, lookup: Lookup = nothing, targets: tuple[str, ...] = (), name: str = ""
) -> TableRead:
    """Read a file that must be as declared; raises `BadFiles` with every problem where it is not."""
    found = Findings(name or file.name)
    table = _checked(file, source, found, lookup, targets)
    verdict = found.verdict()
    if not verdict.ok:
        raise BadFiles(verdict)
    assert table is not None, f"{file.name} declares no columns."
    return table


def _checked(
    file: File, source: Source, found: Findings, lookup: Lookup, targets: tuple[str, ...]
) -> TableRead | None:
    if not file.columns:
        _check_size(file, source, found)
        return None
    named = spread(file.columns, targets)
    if file.column_order == "free":
        named = _as_headed(named, source)
    columns = tuple(_compiled(column, name, lookup) for column, name in named)
    table = read_table(source, columns, found, file.max_bytes, file.header)
    for rank, (column, name) in enumerate(named):
        if column.unique:
            _check_unique(table, name, rank, found)
    if file.rows is not None:
        _check_rows(file.rows, table.n_lines, found, lookup)
    return table


def _as_headed(named: list[tuple[Column, str]], source: Source) -> list[tuple[Column, str]]:
    """The columns in the order of the header, where it names each of them once; else as declared."""
    if isinstance(source, Path):
        with source.open("rb") as opened:
            first = opened.readline(LONGEST_LINE)
    else:
        first = source.readline(LONGEST_LINE)
        source.seek(0)
    line = (
        first.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
    )
    header, by_name = line.split(","), {name: (column, name) for column, name in named}
    if sorted(header) != sorted(by_name):
        return named
    return [by_name[name] for name in header]


def plain_files(
    declared: Mapping[str, File], contents: Mapping[str, bytes]
) -> tuple[dict[str, bytes], list[Remark]]:
    """The files of an upload as plain as they are declared, and what was rewritten.

    A table that the platform reads is stored, measured and published in one form, whoever wrote it.
    """
    plain: dict[str, bytes] = {}
    remarks: list[Remark] = []
    for name, content in contents.items():
        file = declared.get(name)
        plain[name] = content
        if file is None or file.reader == "game" or not file.columns:
            continue
        if any(column.per_target for column in file.columns) or file.column_order == "free":
            continue
        bare = tuple(_compiled(replace(column, domain=()), column.name, nothing) for column in file.columns)
        plain[name], how = plain_content(name, content, bare, file.header)
        remarks += how
    return plain, remarks


def _check_size(file: File, source: Source, found: Findings) -> None:
    if isinstance(source, Path):
        size = source.stat().st_size
    else:
        size = sum(map(len, iter(partial(source.read, CHUNK), b"")))
    if size > file.max_bytes:
        found.add(TOO_LARGE(n=file.max_bytes))


def spread(columns: Iterable[Column], targets: tuple[str, ...]) -> list[tuple[Column, str]]:
    """Every column with its name in the file; neighbours that are declared so are repeated target by target.

    >>> pair = Column("{target}-x", per_target=True), Column("{target}-y", per_target=True)
    >>> [name for _, name in spread((Column("row"), *pair), ("a", "b"))]
    ['row', 'a-x', 'a-y', 'b-x', 'b-y']
    """
    named: list[tuple[Column, str]] = []
    for is_repeated, group in groupby(columns, key=lambda column: column.per_target):
        neighbours = tuple(group)
        for key in targets if is_repeated else ("",):
            named += [(column, column.name.replace("{target}", key)) for column in neighbours]
    return named


def _check_unique(table: TableRead, name: str, rank: int, found: Findings) -> None:
    read = table[name]
    rows = read.repeats()
    found.add_rows(
        VALUE_TWICE(),
        table.lines[rows],
        lambda k: str(read.values[read.codes[rows[k]]]),
        column=name,
        rank=rank,
    )


def _check_rows(rows: int | str, n_lines: int, found: Findings, lookup: Lookup) -> None:
    if isinstance(rows, int):
        wanted, expected = rows, ROWS_OF_FILE(n=rows)
    else:
        wanted = _n_rows(rows, lookup)
        expected = ROWS_AS_IN(n=wanted, file=rows)
    if n_lines != wanted:
        found.add(expected, got=LINES(n=n_lines))


def _n_rows(name: str, lookup: Lookup) -> int:
    return _as_texts(name, lookup).n_lines


def _as_texts(name: str, lookup: Lookup) -> TableRead:
    """A file that others refer to, read without judging its cells again."""
    pair = lookup(name)
    if pair is None:
        raise LookupError(f"There is no file {name!r} to compare with.")
    file, source = pair
    named = [(column, column.name) for column in file.columns]
    if file.column_order == "free":
        named = _as_headed(named, source)
    columns = tuple(ReadColumn(column.name, column.longest, str) for column, _ in named)
    with source if not isinstance(source, Path) else source.open("rb") as stream:
        return read_table(stream, columns, Findings(name), file.max_bytes, file.header)


def _compiled(column: Column, name: str, lookup: Lookup) -> ReadColumn:
    """A declared column as the reader takes it."""
    if isinstance(column.domain, str):
        parse = _in(_values_in(column.domain, lookup), expectation(column))
    elif column.domain:
        parse = _in(dict.fromkeys(column.domain), expectation(column))
    else:
        parse = _PARSERS[column.kind](column)
    if column.empty:
        inner = parse

        def parse(text: str) -> object:
            return inner(text) if text else None

    longest = column.longest if column.kind in ("text", "choice") else max(column.longest, 30)
    return ReadColumn(name, longest, parse)


def expectation(column: Column) -> Message:
    """What a cell of a column must be, as its problems say it and as the rules of a round list it.

    >>> str(expectation(Column("age", "int", (0, 120))))
    'an integer from 0 to 120'
    """
    if isinstance(column.domain, str):
        file, _, name = column.domain.rpartition(":")
        return NOT_IN_FILE(file=file, column=name)
    if column.domain:
        return NOT_A_CHOICE(names=column.domain[:SHOWN_VALUES])
    return _EXPECTED[column.kind](column)


def _values_in(domain: str, lookup: Lookup) -> Mapping[str, Any]:
    file, _, column = domain.rpartition(":")
    return dict.fromkeys(_as_texts(file, lookup)[column].values)


def _in(known: Mapping[str, Any], expected: Message) -> Parse:
    def parse(text: str) -> str:
        if text not in known:
            raise BadCell(expected)
        return text

    return parse


def _text(column: Column) -> Parse:
    expected = expectation(column)

    def parse(text: str) -> str:
        if not text or not text.isprintable():
            raise BadCell(expected)
        return text

    return parse


def _integer(column: Column) -> Parse:
    expected = expectation(column)

    def parse(text: str) -> int:
        if not INTEGER.fullmatch(text) or not _is_inside(int(text), column):
            raise BadCell(expected)
        return int(text)

    return parse


def _real(column: Column) -> Parse:
    expected = expectation(column)
    exact = TOO_EXACT(n=column.decimals or 0)

    def parse(text: str) -> float:
        match = REAL.fullmatch(text)
        if not match or not np.isfinite(float(text)) or not _is_inside(float(text), column):
            raise BadCell(expected)
        if column.decimals is not None and ("e" in text.lower() or len(match[1] or "") > column.decimals):
            raise BadCell(exact)
        return float(text)

    return parse


def _date(column: Column) -> Parse:
    expected = expectation(column)

    def parse(text: str) -> int:
        try:
            day = (datetime.date.fromisoformat(text) - EPOCH).days
        except ValueError:
            raise BadCell(BAD_DAY()) from None
        if len(text) != len("2027-08-01") or not _is_inside(day, column):
            raise BadCell(expected)
        return day

    return parse


def _between(column: Column, anything: Template, between: Template) -> Message:
    if column.span is None:
        return anything()
    low, high = column.span
    return between(low=_plain(low), high=_plain(high))


def _day_between(column: Column) -> Message:
    if column.span is None:
        return BAD_DAY()
    low, high = (str(EPOCH + datetime.timedelta(days=int(day))) for day in column.span)
    return BAD_DAY_BETWEEN(low=low, high=high)


def _plain(number: float) -> float:
    """Whole numbers without a point."""
    return int(number) if float(number).is_integer() else number


def _is_inside(value: float, column: Column) -> bool:
    return column.span is None or column.span[0] <= value <= column.span[1]


_PARSERS: dict[str, Callable[[Column], Parse]] = {
    "text": _text,
    "int": _integer,
    "real": _real,
    "date": _date,
    "choice": _text,
}
_EXPECTED: dict[str, Callable[[Column], Message]] = {
    "text": lambda it: BAD_TEXT(n=it.longest),
    "int": lambda it: _between(it, BAD_INTEGER, BAD_INTEGER_BETWEEN),
    "real": lambda it: _between(it, BAD_NUMBER, BAD_NUMBER_BETWEEN),
    "date": _day_between,
    "choice": lambda it: BAD_TEXT(n=it.longest),
}
