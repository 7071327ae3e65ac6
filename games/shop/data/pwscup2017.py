"""The files of PWSCUP 2017: one sheet of transactions, one pseudonym per customer and month, deleted rows.

T, the anonymised A(T), the published S and the partial knowledge T25 … T100 all have the seven columns of T.
A deleted row is written ``DEL,,,,,,``. F says which pseudonym a customer had in each of the 12 months,
December first, ``DEL`` where the customer has no row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from datasets.messages import Template
from datasets.problems import ROWS, BadFiles, Findings, Verdict
from datasets.reader import Column, Read, Source, TableRead, read_table
from datasets.tables import EPOCH, Coded, Codes, Integers, date_text, frozen
from games.shop.data import cells
from games.shop.data.diagnosis import diagnose_order
from games.shop.data.rules import FileRules
from games.shop.data.schema import ROW_COUNT
from games.shop.data.tables import TRANSACTION_COLUMNS, price_text, time_text
from games.shop.data.writer import ROWS_A_PIECE, as_bytes, join_rows, numbers_as_bytes

DELETED = "DEL"
MONTHS = 12
MAX_BYTES = 64 * 1024 * 1024

TOO_MANY_DELETED = Template("too-many-deleted", "at least %(n)s of the rows kept")
SHARE_DELETED = Template("got.deleted", "%(share)s deleted")
EMPTY_CELL = Template("empty-cell", "a value")
DELETED_NOT_EMPTY = Template("deleted-not-empty", "an empty cell: a deleted row is written DEL,,,,,,")
MONTH_CHANGED = Template("month-changed", "a date in the year and month of T's row")
SECOND_PSEUDONYM = Template("second-pseudonym", "one pseudonym per customer and month")
REAL_ID = Template("real-id.original", "a pseudonym, not an id of T")
UNKNOWN_ITEM = Template("unknown-item.original", "an item of T")


@dataclass(frozen=True, eq=False)
class Sheet:
    """A sheet in file order. A deleted row has the user ``DEL``, an empty receipt and item, and zeros."""

    user: Coded
    receipt: Coded
    day: Codes
    minute: Codes
    item: Coded
    price: Integers
    quantity: Integers
    deleted: npt.NDArray[np.bool_]

    @property
    def n_rows(self) -> int:
        return len(self.day)


class TruthTable(NamedTuple):
    """F: row i of ``pseudonyms`` is customer i's pseudonym from December to November."""

    customers: npt.NDArray[np.object_]
    pseudonyms: npt.NDArray[np.object_]


def _or_empty(parse: Callable[[str], object]) -> Callable[[str], object]:
    return lambda text: parse(text) if text else None


COLUMNS = (
    Column("customer_id", cells.LONGEST_ID, cells.identifier),
    Column("receipt_id", cells.LONGEST_ID, _or_empty(cells.receipt)),
    Column("date", cells.LONGEST_NUMBER, _or_empty(cells.date)),
    Column("time", cells.LONGEST_NUMBER, _or_empty(cells.time)),
    Column("item_id", cells.LONGEST_ITEM, _or_empty(cells.item)),
    Column("unit_price", cells.LONGEST_NUMBER, _or_empty(cells.price_or_nothing)),
    Column("quantity", cells.LONGEST_NUMBER, _or_empty(cells.quantity_or_nothing)),
)
FILLED = TRANSACTION_COLUMNS[1:]


def read_sheet(source: Source) -> Sheet:
    """Read T, A(T), S or a partial knowledge file; raise `BadFiles` where it is not well formed."""
    found = Findings(_name(source))
    table = read_table(source, COLUMNS, found, MAX_BYTES)
    _check_deleted(table, found)
    if found.total:
        raise BadFiles(found.verdict())
    return _sheet(table)


def check_2017(
    source: Source, original: Sheet, file: str = "AT.csv", rules: FileRules | None = None
) -> tuple[Sheet | None, Verdict]:
    """Check A(T) against T by the rules of 2017; the sheet is None where there are problems."""
    rules = rules or FileRules()
    found = Findings(file)
    table = read_table(source, COLUMNS, found, rules.max_bytes)
    deleted = _check_deleted(table, found)
    if table.n_lines != original.n_rows:
        found.add(ROW_COUNT(n=original.n_rows), got=ROWS(n=table.n_lines))
    elif table.n_rows == original.n_rows:
        check_deleted_share(int(deleted.sum()), original.n_rows, rules, found)
        _check_months(table, original, ~deleted, found)
        _check_pseudonyms(table, original, ~deleted, found)
    _check_domain(table, original, found)
    verdict = diagnose_order(found.verdict(), file, table["date"], original.day.tolist())
    return (_sheet(table) if verdict.ok else None), verdict


def check_deleted_share(n_deleted: int, n_rows: int, rules: FileRules, found: Findings) -> None:
    # Rounded as the organisers' E6 is: their own sample deletes one row more than half of an odd number.
    share = round(n_deleted / n_rows, 4)
    if share > round(1 - rules.least_kept, 4):
        found.add(TOO_MANY_DELETED(n=f"{rules.least_kept:.0%}"), got=SHARE_DELETED(share=f"{share:.2%}"))


def truth_table(original: Sheet, released: Sheet) -> TruthTable:
    """F of a legal A(T): the pseudonym that each customer has in each month."""
    customers = original.user.labels
    table = np.full((len(customers), MONTHS), DELETED, dtype=object)
    kept = ~released.deleted
    table[original.user.codes[kept], month_of(original.day)[kept]] = released.user.texts()[kept]
    return TruthTable(customers, frozen(table))


def write_sheet(file: BinaryIO, sheet: Sheet) -> None:
    """Write a sheet as it is read: a deleted row is ``DEL,,,,,,``."""
    texts = [as_bytes(column.labels) for column in (sheet.user, sheet.receipt, sheet.item)]
    for first in range(0, sheet.n_rows, ROWS_A_PIECE):
        piece = slice(first, first + ROWS_A_PIECE)
        numbers = (
            numbers_as_bytes(sheet.day[piece], date_text),
            numbers_as_bytes(sheet.minute[piece], time_text),
            numbers_as_bytes(sheet.price[piece], price_text),
            numbers_as_bytes(sheet.quantity[piece], str),
        )
        day, minute, price, quantity = (
            np.where(sheet.deleted[piece], np.bytes_(b""), column) for column in numbers
        )
        user = texts[0][sheet.user.codes[piece]]
        receipt = texts[1][sheet.receipt.codes[piece]]
        item = texts[2][sheet.item.codes[piece]]
        file.write(join_rows([user, receipt, day, minute, item, price, quantity]))


def take_rows(sheet: Sheet, rows: npt.ArrayLike) -> Sheet:
    """Some rows of a sheet, or all in another order."""
    rows = np.asarray(rows)
    return Sheet(
        user=sheet.user.take(rows),
        receipt=sheet.receipt.take(rows),
        day=frozen(sheet.day[rows]),
        minute=frozen(sheet.minute[rows]),
        item=sheet.item.take(rows),
        price=frozen(sheet.price[rows]),
        quantity=frozen(sheet.quantity[rows]),
        deleted=frozen(sheet.deleted[rows]),
    )


def spread_rows(sheet: Sheet, rows: Integers, n_rows: int) -> Sheet:
    """A sheet of ``n_rows`` with these rows at the given places, and deleted rows everywhere else."""

    def texts(column: Coded, elsewhere: str) -> Coded:
        values = np.full(n_rows, elsewhere, dtype=object)
        values[rows] = column.texts()
        return Coded.from_texts(values)

    def numbers(column: npt.NDArray) -> npt.NDArray:
        values = np.zeros(n_rows, dtype=column.dtype)
        values[rows] = column
        return frozen(values)

    deleted = np.ones(n_rows, dtype=np.bool_)
    deleted[rows] = sheet.deleted
    return Sheet(
        user=texts(sheet.user, DELETED),
        receipt=texts(sheet.receipt, ""),
        day=numbers(sheet.day),
        minute=numbers(sheet.minute),
        item=texts(sheet.item, ""),
        price=numbers(sheet.price),
        quantity=numbers(sheet.quantity),
        deleted=frozen(deleted),
    )


def month_of(day: Codes) -> Codes:
    """The column of F that a day belongs to: 0 is December, 11 November.

    >>> month_of(np.array([14944, 14975])).tolist()
    [0, 1]
    """
    return ((year_month(day) + 1) % MONTHS).astype(np.int32)


def year_month(day: npt.NDArray) -> npt.NDArray[np.int64]:
    return (np.datetime64(EPOCH) + day.astype("timedelta64[D]")).astype("datetime64[M]").astype(np.int64)


def _check_deleted(table: TableRead, found: Findings) -> npt.NDArray[np.bool_]:
    """A deleted row is empty but for its ``DEL``; any other row has no empty cell."""
    deleted = table["customer_id"].where(DELETED)
    for rank, name in enumerate(FILLED, start=1):
        empty = table[name].where(None)
        hollow = np.flatnonzero(empty & ~deleted)
        found.add_rows(EMPTY_CELL(), table.lines[hollow], lambda k: "", column=name, rank=rank)
        filled = np.flatnonzero(~empty & deleted)
        found.add_rows(
            DELETED_NOT_EMPTY(),
            table.lines[filled],
            lambda k: None,
            column=name,
            rank=rank,
        )
    return deleted


def _check_months(table: TableRead, original: Sheet, kept: npt.NDArray[np.bool_], found: Findings) -> None:
    dates = table["date"]
    filled = kept & (dates.codes >= 0) & ~dates.where(None)
    moved = filled & (year_month(dates.numbers()) != year_month(original.day))
    found.add_rows(
        MONTH_CHANGED(),
        table.lines[moved],
        lambda k: None,
        column="date",
        rank=2,
    )


def _check_pseudonyms(
    table: TableRead, original: Sheet, kept: npt.NDArray[np.bool_], found: Findings
) -> None:
    users = table["customer_id"]
    rows = np.flatnonzero(kept & (users.codes >= 0))
    # The first pseudonym of a customer and month is taken for the right one, all others are problems.
    place = original.user.codes[rows].astype(np.int64) * MONTHS + month_of(original.day)[rows]
    _, first, group = np.unique(place, return_index=True, return_inverse=True)
    chosen = users.codes[rows][first][group]
    wrong = rows[users.codes[rows] != chosen]
    found.add_rows(
        SECOND_PSEUDONYM(),
        table.lines[wrong],
        _quoting(users, wrong),
        column="customer_id",
    )


def _check_domain(table: TableRead, original: Sheet, found: Findings) -> None:
    users, items = table["customer_id"], table["item_id"]
    customers, goods = set(original.user.labels) - {DELETED}, set(original.item.labels)
    for read, good, expected, column, rank in (
        (users, lambda text: text not in customers, REAL_ID(), "customer_id", 0),
        (items, lambda text: text is None or text in goods, UNKNOWN_ITEM(), "item_id", 4),
    ):
        bad = np.array([*(not good(value) for value in read.values), False])
        rows = np.flatnonzero(bad[read.codes])
        found.add_rows(expected, table.lines[rows], _quoting(read, rows), column=column, rank=rank)


def _quoting(read: Read, rows: npt.NDArray[np.intp]) -> Callable[[int], str]:
    return lambda k: str(read.values[read.codes[rows[k]]])


def _sheet(table: TableRead) -> Sheet:
    return Sheet(
        user=table["customer_id"].coded(),
        receipt=table["receipt_id"].coded(),
        day=frozen(table["date"].numbers(np.int32)),
        minute=frozen(table["time"].numbers(np.int32)),
        item=table["item_id"].coded(),
        price=frozen(table["unit_price"].numbers()),
        quantity=frozen(table["quantity"].numbers()),
        deleted=frozen(table["customer_id"].where(DELETED)),
    )


def _name(source: Source) -> str:
    return source.name if isinstance(source, Path) else "file"
