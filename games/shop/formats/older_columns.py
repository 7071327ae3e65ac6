"""What version 0.1 kept in columns: the hashes of transactions and of a master table, counts, who was found.

Its databases, archives and commitments are read with this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PEOPLE, FOUND = "n_customers", "found_customers"
COUNTS = {"customers": PEOPLE, "purchases": "n_rows", "receipts": "n_receipts", "items": "n_items"}
"""The columns of a data set that are facts today, by the codes of their labels."""
DATASET_COLUMNS = (
    "master_sha256", "transactions_sha256", "knowledge", *COUNTS.values(), "first_day", "last_day",
)  # fmt: skip
"""The columns of a data set that exist no longer."""


def named_files(names: tuple[str, ...], master: str, transactions: str) -> dict[str, str]:
    """Which hash belongs to which file: the last is the transactions', the one before it the master's.

    >>> named_files(("M.csv", "T.csv"), "ab", "cd"), named_files(("A.csv",), "", "ef")
    ({'M.csv': 'ab', 'T.csv': 'cd'}, {'A.csv': 'ef'})

    An upload that was never accepted has no files:

    >>> named_files(("M.csv", "T.csv"), "", "")
    {}
    """
    if not transactions:
        return {}
    return dict(zip(names, (master, transactions)[-len(names) :], strict=True))


def master_and_transactions(names: tuple[str, ...], files: Mapping[str, str]) -> tuple[str, str]:
    """The reverse of `named_files`.

    >>> master_and_transactions(("A.csv",), {"A.csv": "ef"})
    ('', 'ef')
    """
    hashes = ["", *(files.get(name, "") for name in names)]
    return hashes[-2], hashes[-1]


def listed_facts(row: Mapping[str, Any]) -> list[list[Any]]:
    """The facts about a data set, from its row.

    >>> row = {"n_customers": 4, "n_rows": 90, "n_receipts": 0, "n_items": 7}
    >>> listed_facts({**row, "first_day": "1970-01-01", "last_day": "1970-02-01"})
    [['customers', 4], ['purchases', 90], ['items', 7], ['days', ['1970-01-01', '1970-02-01']]]
    """
    counts = [[code, row[name]] for code, name in COUNTS.items() if row[name] or code != "receipts"]
    return [*counts, ["days", [row["first_day"], row["last_day"]]]]
