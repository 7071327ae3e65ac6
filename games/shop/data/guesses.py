"""Checking the guesses of 2017 and 2018 against the names that everybody can see."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from datasets.cells import BadCell
from datasets.diagnosis import repeated_ids
from datasets.messages import Template
from datasets.problems import Findings, Verdict
from datasets.reader import Column, Source, TableRead, read_table
from datasets.tables import NO_GUESS, Integers
from games.shop.data import cells
from games.shop.data.pwscup2017 import DELETED, MAX_BYTES, MONTHS

UNKNOWN_CUSTOMER = Template("unknown-customer.original", "a customer of T")
CUSTOMER_TWICE = Template("duplicate-id.customer", "each customer once")
UNKNOWN_PSEUDONYM = Template("unknown-pseudonym.target", "a pseudonym of the target")
UNKNOWN_OR_DELETED = Template("unknown-pseudonym.or-none", "a pseudonym of the target, or %(no_guess)s")

CUSTOMER = BadCell(UNKNOWN_CUSTOMER())
PSEUDONYM = BadCell(UNKNOWN_PSEUDONYM())
PSEUDONYM_OR_DELETED = BadCell(UNKNOWN_OR_DELETED(no_guess=DELETED))


def check_months(
    file: Source, customers: npt.NDArray[np.object_], pseudonyms: Collection[str], name: str = "F.csv"
) -> tuple[npt.NDArray[np.object_] | None, Verdict]:
    """Check F of 2017: a customer and twelve pseudonyms per line, ``DEL`` where there is none.

    Row i of the result is customer i's, with None in every month of a customer who is not named.
    """
    found = Findings(name)
    names = tuple(f"month_{number}" for number in range(1, MONTHS + 1))
    known = _known({*pseudonyms, DELETED}, PSEUDONYM_OR_DELETED)
    columns = (
        Column("customer_id", cells.LONGEST_ID, _known(set(customers), CUSTOMER)),
        *(Column(month, cells.LONGEST_ID, known) for month in names),
    )
    table = read_table(file, columns, found, MAX_BYTES)
    _check_once(table, found)
    verdict = found.verdict()
    if not verdict.ok:
        return None, verdict.explained(repeated_ids(verdict))
    result = np.full((len(customers), MONTHS), None, dtype=object)
    rows = _rows_of(table, customers)
    result[rows] = np.stack([table[month].coded().texts() for month in names], axis=1)
    return result, verdict


def check_answer(
    file: Source,
    customers: npt.NDArray[np.object_],
    pseudonyms: npt.NDArray[np.object_],
    name: str = "F.csv",
) -> tuple[Integers | None, Verdict]:
    """Check F of 2018: a customer and a pseudonym per line, each customer once.

    Element i of the result is the place of customer i's pseudonym among the sorted ones, or `NO_GUESS`.
    """
    found = Findings(name)
    columns = (
        Column("customer_id", cells.LONGEST_ID, _known(set(customers), CUSTOMER)),
        Column("pseudonym", cells.LONGEST_ID, _known(set(pseudonyms), PSEUDONYM)),
    )
    table = read_table(file, columns, found, MAX_BYTES)
    _check_once(table, found)
    verdict = found.verdict()
    if not verdict.ok:
        return None, verdict.explained(repeated_ids(verdict))
    result = np.full(len(customers), NO_GUESS, dtype=np.int64)
    place = {label: index for index, label in enumerate(pseudonyms)}
    claimed = [place[text] for text in table["pseudonym"].coded().texts()]
    result[_rows_of(table, customers)] = claimed
    return result, verdict


def _known(legal: set[str], fault: BadCell) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in legal:
            raise fault
        return text

    return parse


def _check_once(table: TableRead, found: Findings) -> None:
    ids = table["customer_id"]
    again = ids.codes >= 0
    again[np.unique(ids.codes, return_index=True)[1]] = False
    rows = np.flatnonzero(again)
    found.add_rows(
        CUSTOMER_TWICE(),
        table.lines[rows],
        lambda k: str(ids.values[ids.codes[rows[k]]]),
        column="customer_id",
    )


def _rows_of(table: TableRead, customers: npt.NDArray[np.object_]) -> Integers:
    row_of = {customer: row for row, customer in enumerate(customers)}
    texts = table["customer_id"].coded().texts()
    return np.array([row_of[text] for text in texts], dtype=np.int64)
