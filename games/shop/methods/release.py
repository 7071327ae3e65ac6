"""From a draft, whose row i still is customer i of M, to a release that leaks nothing by order or name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from anonymizers.release import CannotProtect, fresh_names
from datasets.tables import Coded, Integers, frozen
from games.shop.data.amounts import MAX_PRICE, MAX_QUANTITY
from games.shop.data.tables import Master, PurchaseData, Release, Transactions


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


def with_amounts(rows: Transactions, price: npt.ArrayLike, quantity: npt.ArrayLike) -> Transactions:
    """The rows with other prices (hundredths) and quantities, rounded and cut to what the files may hold."""
    whole_price = np.clip(np.rint(np.asarray(price)), 1, MAX_PRICE).astype(np.int64)
    whole_quantity = np.clip(np.rint(np.asarray(quantity)), 1, MAX_QUANTITY).astype(np.int64)
    return replace(rows, price=frozen(whole_price), quantity=frozen(whole_quantity))


def with_rows(draft: PurchaseData, rows: Transactions) -> PurchaseData:
    return replace(draft, transactions=rows)
