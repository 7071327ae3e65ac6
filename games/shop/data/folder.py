"""A folder of contest files: ``M.csv`` and ``T.csv``, and for an entry ``P.csv`` beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from datasets.problems import BadFiles
from datasets.tables import Coded, frozen
from datasets.writer import replacing
from games.shop.data.check import check_tables, check_truth
from games.shop.data.rules import FileRules
from games.shop.data.tables import Master, PurchaseData, Release
from games.shop.data.writer import write_master, write_transactions

NO_LIMIT = FileRules(max_bytes=sys.maxsize, drop_customers=True)
LARGEST_ROW = 10**10


def read_original(folder: Path) -> PurchaseData:
    """Read M.csv and T.csv of a folder; raise `BadFiles` where they are not well formed."""
    return read_tables(folder, generalised=False)


def read_release(folder: Path) -> Release:
    """Read M.csv, T.csv and P.csv of an entry's folder; raise `BadFiles` where they are not well formed.

    Whether an upload follows the rules of its round is decided by `games.shop.data.check.check_entry`.
    """
    data = read_tables(folder, generalised=True)
    truth, verdict = check_truth(folder / "P.csv", data.n_customers, LARGEST_ROW, NO_LIMIT)
    if truth is None:
        raise BadFiles(verdict)
    return Release(data, truth)


def read_tables(folder: Path, *, generalised: bool) -> PurchaseData:
    """Read M.csv and T.csv of a folder, or M′ and T′, whose people may be generalised."""
    checked = check_tables(folder / "M.csv", folder / "T.csv", NO_LIMIT.max_bytes, generalised=generalised)
    if checked.data is None:
        raise BadFiles(checked.verdict)
    return checked.data


def write_dataset(folder: Path, data: PurchaseData) -> None:
    """Write M.csv and T.csv into a folder, made if it is not there; each file appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "M.csv") as file:
        write_master(file, data.master)
    with replacing(folder / "T.csv") as file:
        write_transactions(file, data)


def write_release(folder: Path, release: Release) -> None:
    """Write M.csv, T.csv and P.csv into a folder, which is made if it is not there."""
    write_dataset(folder, release.data)
    with replacing(folder / "P.csv") as file:
        file.write("".join(f"{row + 1}\n" for row in release.truth.tolist()).encode())


def canonical_order(release: Release) -> Release:
    """The same release in an order that depends on nothing but what it shows.

    M′ is sorted by pseudonym, T′ by date, time, receipt, pseudonym, item, price and quantity. Every cell
    takes part in the order, so no trace of the team's own order, which may follow the original's, is left.
    """
    master, rows = release.data.master, release.data.transactions
    order = np.argsort(master.ids, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    customer = place[rows.customer]
    keys = (rows.quantity, rows.price, rows.item.codes, customer, rows.receipt.codes, rows.minute, rows.day)
    sorted_rows = rows.take(np.lexsort(keys), customer)
    people = Master(
        ids=frozen(master.ids[order]),
        gender=_permuted(master.gender, order),
        birthday=_permuted(master.birthday, order),
        country=_permuted(master.country, order),
    )
    return Release(PurchaseData(people, sorted_rows), frozen(release.truth[order]))


def _permuted(column: Coded, order: np.ndarray) -> Coded:
    return Coded.of(column.codes[order], column.labels)
