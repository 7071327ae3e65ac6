"""The files of PWSCUP 2018: T has five columns, and an anonymised cell may be generalised.

A cell of A is T's own value, ``*`` (deleted), an interval ``[a;b]`` (date, price, quantity) or a set
``{i;j;…}`` of at most 100 items. A deleted row is ``*,*,*,*,*``. An attacker's answer F has lines
``customer_id,pseudonym``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.cells import BadCell
from datasets.messages import Template
from datasets.problems import ROWS, BadFiles, Findings, Verdict
from datasets.reader import Column, Read, Source, TableRead, read_table
from datasets.tables import Coded, Codes, Integers, frozen
from games.shop.data import cells
from games.shop.data.diagnosis import diagnose_order
from games.shop.data.schema import ROW_COUNT

NAMES = ("customer_id", "date", "item_id", "unit_price", "quantity")
MAX_BYTES = 64 * 1024 * 1024
VALUE, STAR, INTERVAL, SET = 0, 1, 2, 3
"""The kinds of a cell of A."""
LARGEST_SET = 100
LONGEST_SET = LARGEST_SET * (cells.LONGEST_ITEM + 1) + 2
ORIGINAL_COLUMNS = (
    Column("customer_id", cells.LONGEST_ID, cells.identifier),
    Column("date", cells.LONGEST_NUMBER, cells.date),
    Column("item_id", cells.LONGEST_ITEM, cells.item),
    Column("unit_price", cells.LONGEST_NUMBER, cells.price_or_nothing),
    Column("quantity", cells.LONGEST_NUMBER, cells.quantity_or_nothing),
)
PSEUDONYM = re.compile(r"[0-9]{1,50}")

BAD_PSEUDONYM = Template("bad-pseudonym", "a pseudonym of digits")
NO_INTERVAL = Template("bad-interval.form", "an interval as [a;b]")
INTERVAL_REVERSED = Template("bad-interval.order", "an interval [a;b] with a not above b")
NO_SET = Template("bad-set.form", "a set as {i;j;…}")
SET_TOO_LARGE = Template("bad-set.size", "a set of at most %(n)s different items")
UNKNOWN_ITEMS = Template("unknown-item.set", "items of T")
DELETED_NOT_EMPTY = Template("deleted-not-empty.star", "*: a deleted row is written *,*,*,*,*")
VALUE_NOT_COVERED = Template("value-not-covered", "T's value, or an interval or set that contains it")
SECOND_PSEUDONYM = Template("second-pseudonym.customer", "one pseudonym per customer")
SHARED_PSEUDONYM = Template("shared-pseudonym", "a pseudonym that only one customer has")


@dataclass(frozen=True, eq=False)
class Sheet2018:
    """T of 2018, in file order; price in hundredths, day since 1970-01-01."""

    id: Coded
    day: Codes
    item: Coded
    price: Integers
    quantity: Integers

    @property
    def n_rows(self) -> int:
        return len(self.day)


@dataclass(frozen=True, eq=False)
class RangeCells:
    """A column of numbers: a value has low = high, an interval its two ends, a star zeros."""

    kind: npt.NDArray[np.uint8]
    low: Integers
    high: Integers


@dataclass(frozen=True, eq=False)
class ItemCells:
    """The column of items: row i may be any of ``members[cell[i]]``, which is empty for a star."""

    kind: npt.NDArray[np.uint8]
    cell: Codes
    members: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> Integers:
        """How many items each row may be; 0 for a star."""
        return np.array([len(group) for group in self.members], dtype=np.int64)[self.cell]


@dataclass(frozen=True, eq=False)
class Release2018:
    """A, in the order of T. A deleted row has the id ``*``."""

    id: Coded
    deleted: npt.NDArray[np.bool_]
    day: RangeCells
    item: ItemCells
    price: RangeCells
    quantity: RangeCells

    @property
    def n_rows(self) -> int:
        return len(self.deleted)


def read_sheet_2018(source: Source) -> Sheet2018:
    """Read T of 2018; raise `BadFiles` where it is not well formed."""
    found = Findings(source.name if isinstance(source, Path) else "T.csv")
    table = read_table(source, ORIGINAL_COLUMNS, found, MAX_BYTES)
    if found.total:
        raise BadFiles(found.verdict())
    return Sheet2018(
        id=table["customer_id"].coded(),
        day=frozen(table["date"].numbers(np.int32)),
        item=table["item_id"].coded(),
        price=frozen(table["unit_price"].numbers()),
        quantity=frozen(table["quantity"].numbers()),
    )


def read_release_2018(source: Source) -> Release2018:
    """Read rows of an A that was checked before; raise `BadFiles` where they are not well formed."""
    found = Findings(source.name if isinstance(source, Path) else "A.csv")
    table = read_table(source, _columns(None), found, MAX_BYTES)
    if found.total:
        raise BadFiles(found.verdict())
    return _release(table)


def check_2018(
    source: Source, original: Sheet2018, file: str = "A.csv", max_bytes: int = MAX_BYTES
) -> tuple[Release2018 | None, Verdict]:
    """Check A against T by the rules of 2018; the release is None where there are problems."""
    found = Findings(file)
    table = read_table(source, _columns(set(original.item.labels)), found, max_bytes)
    deleted = table["customer_id"].where("*")
    _check_deleted(table, deleted, found)
    if table.n_lines != original.n_rows:
        found.add(ROW_COUNT(n=original.n_rows), got=ROWS(n=table.n_lines))
    elif table.n_rows == original.n_rows:
        _check_contains(table, original, found)
        _check_one_to_one(table["customer_id"], original.id, ~deleted, table.lines, found)
    verdict = diagnose_order(found.verdict(), file, table["date"], original.day.tolist())
    return (_release(table) if verdict.ok else None), verdict


def _pseudonym(text: str) -> str:
    if not PSEUDONYM.fullmatch(text):
        raise BadCell(BAD_PSEUDONYM())
    return text


def _pseudonym_or_star(text: str) -> str:
    return text if text == "*" else _pseudonym(text)


def _range(parse: Callable[[str], int], text: str) -> tuple[int, int, int]:
    """Kind, low and high of a cell of numbers."""
    if text == "*":
        return STAR, 0, 0
    if text.startswith("["):
        low, separator, high = text[1:-1].partition(";")
        if not (separator and text.endswith("]")):
            raise BadCell(NO_INTERVAL())
        ends = parse(low), parse(high)
        if ends[0] > ends[1]:
            raise BadCell(INTERVAL_REVERSED())
        return INTERVAL, *ends
    value = parse(text)
    return VALUE, value, value


def _items(domain: set[str] | None, text: str) -> tuple[int, tuple[str, ...]]:
    """Kind and members of a cell of items."""
    if text == "*":
        return STAR, ()
    if not text.startswith("{"):
        return VALUE, _known((cells.item(text),), domain)
    if not text.endswith("}"):
        raise BadCell(NO_SET())
    members = tuple(cells.item(part) for part in text[1:-1].split(";"))
    if len(set(members)) < len(members) or len(members) > LARGEST_SET:
        raise BadCell(SET_TOO_LARGE(n=LARGEST_SET))
    return SET, _known(members, domain)


def _known(members: tuple[str, ...], domain: set[str] | None) -> tuple[str, ...]:
    if domain is not None and not domain.issuperset(members):
        raise BadCell(UNKNOWN_ITEMS())
    return members


def _columns(domain: set[str] | None) -> tuple[Column, ...]:
    return (
        Column("customer_id", cells.LONGEST_ID, _pseudonym_or_star),
        Column("date", 40, partial(_range, cells.date)),
        Column("item_id", LONGEST_SET, partial(_items, domain)),
        Column("unit_price", 40, partial(_range, cells.price_or_nothing)),
        Column("quantity", 40, partial(_range, cells.quantity_or_nothing)),
    )


def _check_deleted(table: TableRead, deleted: npt.NDArray[np.bool_], found: Findings) -> None:
    """A row without an id is deleted as a whole."""
    for rank, name in enumerate(NAMES[1:], start=1):
        read = table[name]
        star = np.array([*(value[0] == STAR for value in read.values), True], dtype=np.bool_)
        rows = np.flatnonzero(deleted & ~star[read.codes])
        found.add_rows(
            DELETED_NOT_EMPTY(),
            table.lines[rows],
            lambda k: None,
            column=name,
            rank=rank,
        )


def _check_contains(table: TableRead, original: Sheet2018, found: Findings) -> None:
    """Every cell holds T's value, itself or among others."""
    columns = (("date", original.day), ("unit_price", original.price), ("quantity", original.quantity))
    for name, truth in columns:
        read = table[name]
        cell = _range_cells(read)
        outside = (read.codes >= 0) & (cell.kind != STAR) & ((truth < cell.low) | (truth > cell.high))
        _report_outside(table, name, np.flatnonzero(outside), found)
    read = table["item_id"]
    # A pair of T's item and a cell is judged once, however many rows show it.
    pairs, group = np.unique(
        original.item.codes.astype(np.int64) * (len(read.values) + 1) + read.codes + 1, return_inverse=True
    )
    bad = np.zeros(len(pairs), dtype=bool)
    for index, pair in enumerate(pairs.tolist()):
        item, cell_code = divmod(pair, len(read.values) + 1)
        if cell_code > 0:
            kind, members = read.values[cell_code - 1]
            bad[index] = kind != STAR and original.item.labels[item] not in members
    _report_outside(table, "item_id", np.flatnonzero(bad[group]), found)


def _report_outside(table: TableRead, name: str, rows: npt.NDArray[np.intp], found: Findings) -> None:
    found.add_rows(
        VALUE_NOT_COVERED(),
        table.lines[rows],
        lambda k: None,
        column=name,
        rank=NAMES.index(name),
    )


def _check_one_to_one(
    users: Read, ids: Coded, kept: npt.NDArray[np.bool_], lines: npt.NDArray[np.integer], found: Findings
) -> None:
    rows = np.flatnonzero(kept & (users.codes >= 0))
    owner, name = ids.codes[rows], users.codes[rows]
    for left, right, expected in (
        (owner, name, SECOND_PSEUDONYM()),
        (name, owner, SHARED_PSEUDONYM()),
    ):
        _, first, group = np.unique(left, return_index=True, return_inverse=True)
        wrong = rows[right != right[first][group]] if len(rows) else rows
        found.add_rows(expected, lines[wrong], _quoting(users, wrong), column="customer_id")


def _repeated(codes: Codes) -> npt.NDArray[np.bool_]:
    """Which rows hold a code that an earlier row holds."""
    again = np.ones(len(codes), dtype=bool)
    again[np.unique(codes, return_index=True)[1]] = False
    return again


def _quoting(read: Read, rows: npt.NDArray[np.intp]) -> Callable[[int], str]:
    return lambda k: str(read.values[read.codes[rows[k]]])


def _range_cells(read: Read) -> RangeCells:
    table = np.array([*read.values, (STAR, 0, 0)], dtype=np.int64)
    kind, low, high = table[read.codes].T
    return RangeCells(frozen(kind.astype(np.uint8)), frozen(low), frozen(high))


def _release(table: TableRead) -> Release2018:
    items = table["item_id"]
    kinds = np.array([value[0] for value in items.values], dtype=np.uint8)
    return Release2018(
        id=table["customer_id"].coded(),
        deleted=frozen(table["customer_id"].where("*")),
        day=_range_cells(table["date"]),
        item=ItemCells(
            frozen(kinds[items.codes]),
            frozen(items.codes),
            tuple(value[1] for value in items.values),
        ),
        price=_range_cells(table["unit_price"]),
        quantity=_range_cells(table["quantity"]),
    )
