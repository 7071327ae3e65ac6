"""Where version 0.1 kept files: a column for the hash of the transactions, one for that of a master table.

Its databases, archives and commitments are read with this.
"""

from __future__ import annotations

from collections.abc import Mapping


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
