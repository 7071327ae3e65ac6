"""Exact amounts of money: price times quantity."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.shop.data.tables import Transactions
from scoring.exact import INT64_LIMIT, Whole, magnitude

MAX_PRICE = 9_999_999
"""The highest price in hundredths that the file rules allow: five integer and two decimal digits."""
MAX_QUANTITY = 999_999


def amounts(transactions: Transactions, rows: npt.NDArray[Any] | None = None) -> Whole:
    """Price times quantity of every row, or of some rows, in hundredths; never overflows."""
    price, quantity = transactions.price, transactions.quantity
    if rows is not None:
        price, quantity = price[rows], quantity[rows]
    if magnitude(price) * magnitude(quantity) >= INT64_LIMIT:
        return price.astype(object) * quantity.astype(object)
    return price * quantity
