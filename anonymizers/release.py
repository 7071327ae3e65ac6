"""From a draft, whose row i still is customer i of M, to a release that leaks nothing by order or name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Integers, Master, PurchaseData, Release, Transactions, frozen

MAX_PRICE = 9_999_999
"""The highest price in hundredths that the file rules allow: five integer and two decimal digits."""
MAX_QUANTITY = 999_999


class CannotProtect(ValueError):
    """The method cannot make a legal entry from this data with these parameters. The text says why."""


def publish(draft: PurchaseData, rng: np.random.Generator, keep_receipts: bool = False) -> Release:
    """Permute the people, give them pseudonyms, shuffle the rows, rename the receipts.

    ``draft`` has the rows of M in their order, with the customer ids of M. The pseudonyms and receipt ids
    are random, so they reveal nothing about the order of M or T.
    """
    if draft.transactions.n_rows == 0:
        raise CannotProtect("Nothing would be left of T: every row was removed. Choose a weaker parameter.")
    n = draft.n_customers
    truth = rng.permutation(n).astype(np.int64)
    place = np.empty(n, dtype=np.int32)
    place[truth] = np.arange(n, dtype=np.int32)
    rows = draft.transactions
    if not keep_receipts:
        rows = replace(rows, receipt=renamed(rows.receipt, rng))
    rows = replace(rows, customer=frozen(place[rows.customer])).take(rng.permutation(rows.n_rows))
    return Release(PurchaseData(_hidden_master(draft.master, truth, rng), rows), frozen(truth))


def _hidden_master(master: Master, truth: Integers, rng: np.random.Generator) -> Master:
    return Master(
        ids=frozen(fresh_names(len(truth), "p", set(master.ids.tolist()), rng)),
        gender=master.gender.take(truth),
        birthday=master.birthday.take(truth),
        country=master.country.take(truth),
    )


def renamed(column: Coded, rng: np.random.Generator) -> Coded:
    """The same partition of rows under random names."""
    names = fresh_names(column.n_labels, "r", set(column.labels.tolist()), rng)
    order = np.argsort(names, kind="stable")
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    return Coded.of(codes[column.codes], names[order])


def fresh_names(
    count: int, prefix: str, taken: set[str], rng: np.random.Generator
) -> npt.NDArray[np.object_]:
    """Random distinct names that are not taken.

    >>> names = fresh_names(3, "p", set(), np.random.default_rng(1))
    >>> len(set(names.tolist())), all(name.startswith("p") and len(name) == 9 for name in names)
    (3, True)
    """
    names: dict[str, None] = {}
    while len(names) < count:
        for number in rng.integers(0, 2**32, size=count - len(names)).tolist():
            name = f"{prefix}{number:08x}"
            if name not in taken:
                names[name] = None
    return np.array(list(names), dtype=object)


def with_amounts(rows: Transactions, price: npt.ArrayLike, quantity: npt.ArrayLike) -> Transactions:
    """The rows with other prices (hundredths) and quantities, rounded and cut to what the files may hold."""
    whole_price = np.clip(np.rint(np.asarray(price)), 1, MAX_PRICE).astype(np.int64)
    whole_quantity = np.clip(np.rint(np.asarray(quantity)), 1, MAX_QUANTITY).astype(np.int64)
    return replace(rows, price=frozen(whole_price), quantity=frozen(whole_quantity))


def with_rows(draft: PurchaseData, rows: Transactions) -> PurchaseData:
    return replace(draft, transactions=rows)
