"""Is an upload legal? Every problem of every file, reported by file, line, column, got and expected.

A message quotes only cells of the checked file itself; what was expected is described in words, or as the
range of dates of T, which everybody has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from datasets.cells import BadCell
from datasets.messages import Template
from datasets.problems import LINES, MISSING_FILE, ROWS, Findings, Verdict
from datasets.reader import Column, Source, TableRead, read_table
from datasets.tables import NO_GUESS, Integers, frozen
from games.shop.data import cells
from games.shop.data.diagnosis import diagnose_entry, diagnose_guess
from games.shop.data.rules import FileRules
from games.shop.data.schema import (
    master_columns,
    released_master_columns,
    released_transaction_columns,
    transaction_columns,
)
from games.shop.data.tables import Master, PurchaseData, Release, Transactions

ENTRY_FILES = ("M.csv", "T.csv", "P.csv")

UNKNOWN_CUSTOMER = Template("unknown-customer", "a customer_id that M.csv has")
UNKNOWN_PSEUDONYM = Template("unknown-pseudonym", "a pseudonym that M.csv has")
DUPLICATE_ID = Template("duplicate-id", "an id that no earlier line has")
LINE_COUNT = Template("line-count", "%(n)s lines, one per row of M.csv")
LINE_COUNT_OF_GUESS = Template("line-count.guess", "%(n)s lines, one per row of M′")
NOT_EVERY_ROW = Template("repeated-row.all", "each row of M exactly once")
REPEATED_ROW = Template("repeated-row", "no row of M twice")
ROW_OUT_OF_RANGE = Template("row-out-of-range", "the number of a row of M, 1 to %(n)s")
TOO_MANY_CUSTOMERS = Template("too-many-customers", "at most %(n)s rows, as M has")
CUSTOMERS_DROPPED = Template("customers-dropped", "%(n)s rows, as M has")
ROWS_DROPPED = Template("rows-dropped", "at least the %(n)s rows of T")
ROWS_ADDED = Template("rows-added", "at most the %(n)s rows of T")


@dataclass(frozen=True)
class Checked:
    """The verdict on M and T, and the tables where there is no problem."""

    verdict: Verdict
    data: PurchaseData | None


@dataclass(frozen=True)
class CheckedEntry:
    """The verdict on M′, T′ and P, and the release where there is no problem."""

    verdict: Verdict
    release: Release | None


def check_tables(
    master: Source, transactions: Source, max_bytes: int, *, generalised: bool = False
) -> Checked:
    """Check a master table and its transactions by themselves, against no original."""
    found_m, found_t = Findings("M.csv"), Findings("T.csv")
    people = read_table(master, master_columns(generalised), found_m, max_bytes)
    _check_unique(people, found_m)
    buyer = _row_of(people, BadCell(UNKNOWN_CUSTOMER()))
    rows = read_table(transactions, transaction_columns(buyer), found_t, max_bytes)
    verdict = Verdict.join((found_m.verdict(), found_t.verdict()))
    return Checked(verdict, _dataset(people, rows) if verdict.ok else None)


def check_master(source: Source, max_bytes: int) -> tuple[Master | None, Verdict]:
    """Check a master table alone: well formed, ids unique."""
    found = Findings("M.csv")
    people = read_table(source, master_columns(), found, max_bytes)
    _check_unique(people, found)
    verdict = found.verdict()
    return (_master(people) if verdict.ok else None), verdict


def check_entry(files: Mapping[str, Source], original: PurchaseData, rules: FileRules) -> CheckedEntry:
    """Check M′, T′ and P, named as in `ENTRY_FILES`, against the original and the rules of the round."""
    found = {name: Findings(name) for name in ENTRY_FILES}
    absent = [name for name in ENTRY_FILES if name not in files]
    for name in absent:
        found[name].add(MISSING_FILE(name=name))
    if absent:
        return CheckedEntry(Verdict.join(part.verdict() for part in found.values()), None)
    columns = released_master_columns(original, rules)
    people = read_table(files["M.csv"], columns, found["M.csv"], rules.max_bytes)
    _check_unique(people, found["M.csv"])
    _check_customers(people.n_lines, original.n_customers, rules, found["M.csv"])
    buyer = _row_of(people, BadCell(UNKNOWN_PSEUDONYM()))
    columns = released_transaction_columns(buyer, original, rules)
    rows = read_table(files["T.csv"], columns, found["T.csv"], rules.max_bytes)
    _check_row_count(rows.n_lines, original.transactions.n_rows, rules, found["T.csv"])
    truth = _truth(files["P.csv"], people.n_lines, original.n_customers, rules, found["P.csv"])
    verdict = Verdict.join(part.verdict() for part in found.values())
    verdict = diagnose_entry(found, people, original.master.ids.tolist(), verdict)
    return CheckedEntry(verdict, Release(_dataset(people, rows), truth) if verdict.ok else None)


def check_truth(
    file: Source, n_released: int, n_original: int, rules: FileRules, name: str = "P.csv"
) -> tuple[Integers | None, Verdict]:
    """Check P: one line per row of M′, row numbers of M from 1, none twice. Returned rows count from 0."""
    found = Findings(name)
    truth = _truth(file, n_released, n_original, rules, found)
    verdict = found.verdict()
    return (truth if verdict.ok else None), verdict


def check_guess(
    file: Source, n_released: int, n_original: int, name: str = "Q.csv"
) -> tuple[Integers | None, Verdict]:
    """Check Q: as P, but ``-`` or an empty line is no guess, and a row of M may be guessed more than once."""
    found = Findings(name)
    column = Column("row", cells.LONGEST_NUMBER, _no_guess_or(_row_below(n_original)))
    table = read_table(file, (column,), found, FileRules.max_bytes)
    if table.n_lines != n_released:
        found.add(LINE_COUNT_OF_GUESS(n=n_released), got=LINES(n=table.n_lines))
    verdict = found.verdict()
    if not verdict.ok:
        verdict = verdict.explained(diagnose_guess(name, found.sample, n_original))
    return (frozen(table["row"].numbers()) if verdict.ok else None), verdict


def _truth(file: Source, n_released: int, n_original: int, rules: FileRules, found: Findings) -> Integers:
    column = Column("row", cells.LONGEST_NUMBER, _row_below(n_original))
    table = read_table(file, (column,), found, rules.max_bytes)
    if table.n_lines != n_released:
        found.add(LINE_COUNT(n=n_released), got=LINES(n=table.n_lines))
    whole = not rules.drop_customers and n_released == n_original
    expected = NOT_EVERY_ROW() if whole else REPEATED_ROW()
    rows = table["row"].repeats()
    found.add_rows(
        expected,
        table.lines[rows],
        lambda k: str(table["row"].values[table["row"].codes[rows[k]]] + 1),
        column="row",
    )
    return frozen(table["row"].numbers())


def _row_below(n_original: int) -> Callable[[str], int]:
    expected = ROW_OUT_OF_RANGE(n=n_original)

    def parse(text: str) -> int:
        row = cells.row_number(text)
        if row >= n_original:
            raise BadCell(expected)
        return row

    return parse


def _no_guess_or(parse: Callable[[str], int]) -> Callable[[str], int]:
    return lambda text: NO_GUESS if text in ("", "-") else parse(text)


def _row_of(people: TableRead, unknown: BadCell) -> Callable[[str], int]:
    """Read an id as its row of the master table. Where that table is broken, unknown ids are not reported."""
    ids = people["customer_id"]
    good = np.flatnonzero(ids.codes >= 0)[::-1]
    first = np.zeros(len(ids.values), dtype=np.int64)
    first[ids.codes[good]] = good
    row_of = dict(zip(ids.values, first.tolist(), strict=True))
    complete = people.n_rows == people.n_lines > 0 and ids.clean

    def parse(text: str) -> int:
        row = row_of.get(text)
        if row is None:
            cells.identifier(text)
            if complete:
                raise unknown
            return 0
        return row

    return parse


def _check_unique(people: TableRead, found: Findings) -> None:
    ids = people["customer_id"]
    rows = ids.repeats()
    found.add_rows(
        DUPLICATE_ID(),
        people.lines[rows],
        lambda k: ids.values[ids.codes[rows[k]]],
        column="customer_id",
    )


def _check_customers(n_released: int, n_original: int, rules: FileRules, found: Findings) -> None:
    if n_released > n_original:
        found.add(TOO_MANY_CUSTOMERS(n=n_original), got=ROWS(n=n_released))
    elif n_released < n_original and not rules.drop_customers:
        found.add(CUSTOMERS_DROPPED(n=n_original), got=ROWS(n=n_released))


def _check_row_count(n_released: int, n_original: int, rules: FileRules, found: Findings) -> None:
    if n_released < n_original and not rules.drop_rows:
        found.add(ROWS_DROPPED(n=n_original), got=ROWS(n=n_released))
    if n_released > n_original and not rules.add_rows:
        found.add(ROWS_ADDED(n=n_original), got=ROWS(n=n_released))


def _dataset(people: TableRead, rows: TableRead) -> PurchaseData:
    """The tables of files in which every cell is good. The transactions as read are used up."""
    transactions = Transactions(
        customer=frozen(rows.release("customer_id").numbers(np.int32)),
        receipt=rows.release("receipt_id").coded(),
        day=frozen(rows.release("date").numbers(np.int32)),
        minute=frozen(rows.release("time").numbers(np.int32)),
        item=rows.release("item_id").coded(),
        price=frozen(rows.release("unit_price").numbers()),
        quantity=frozen(rows.release("quantity").numbers()),
    )
    return PurchaseData(_master(people), transactions)


def _master(people: TableRead) -> Master:
    return Master(
        ids=frozen(people["customer_id"].texts()),
        gender=people["gender"].coded(),
        birthday=people["birthday"].coded(),
        country=people["country"].coded(),
    )
