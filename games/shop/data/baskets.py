"""T as a panel: a receipt is a record of period and units of the items that most customers bought."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from datasets.tables import Integers
from games.shop.data.tables import PurchaseData


@dataclass(frozen=True, eq=False)
class Baskets:
    """Receipts that hold a top item: columns ``customer``, ``period``, and ``item0``, ``item1``, … units."""

    table: pd.DataFrame
    record: Integers
    """By row of T, its record; −1 where the receipt has none of the top items."""
    items: Integers
    """The codes of the top items, in the order of the columns."""
    spent: Integers
    """By record, the hundredths spent on all rows of the receipt."""


def baskets(data: PurchaseData, items: int, days: int, bought_only: bool = False) -> Baskets:
    """Code T by receipt: a customer's rows of one receipt and period of this many days are one record.

    The top items are those with the most different buyers. With ``bought_only`` a cell says 1 where the item
    was bought, instead of its units.
    """
    rows = data.transactions
    width = int(rows.customer.max()) + 1
    bought = np.unique(rows.item.codes.astype(np.int64) * width + rows.customer) // width
    top = np.argsort(-np.bincount(bought, minlength=rows.item.n_labels), kind="stable")[:items]
    place = np.full(rows.item.n_labels, -1, dtype=np.int64)
    place[top] = np.arange(len(top))
    period = (rows.day.astype(np.int64) - int(rows.day.min())) // days
    receipt = rows.customer.astype(np.int64) * rows.receipt.n_labels + rows.receipt.codes
    visit = np.unique(receipt * (period.max() + 1) + period, return_inverse=True)[1]
    column = place[rows.item.codes]
    wanted = np.flatnonzero(column >= 0)
    held, number = np.unique(visit[wanted], return_inverse=True)
    units = np.zeros((len(held), len(top)), dtype=np.int64)
    np.add.at(units, (number, column[wanted]), rows.quantity[wanted])
    first = wanted[np.unique(number, return_index=True)[1]]
    table = pd.DataFrame({"customer": rows.customer[first], "period": period[first]})
    for j in range(len(top)):
        table[f"item{j}"] = (units[:, j] > 0).astype(np.int64) if bought_only else units[:, j]
    spent = np.bincount(visit, weights=rows.amount)[held].astype(np.int64)
    numbered = np.full(int(visit.max()) + 1, -1, dtype=np.int64)
    numbered[held] = np.arange(len(held))
    return Baskets(table, numbered[visit], top, spent)
