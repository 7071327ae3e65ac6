"""Step 3: purchases rebuilt over another set of items, as plausible receipts with the same totals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from arithmetic import exp
from datasets.tables import Coded, Integers, frozen
from games.shop.data.amounts import MAX_QUANTITY
from games.shop.data.tables import Master, PurchaseData, Transactions


def rebuilt(original: PurchaseData, source: Integers, sets: sparse.csr_matrix) -> Transactions:
    """Rows for every customer i: the receipts of customer source(i), over exactly the items of row i of sets.

    Every row keeps receipt, date and time. The most expensive rows take the most expensive items, at prices
    between the lowest and the highest at which each item was sold, and quantities make up for the difference
    in price: a customer's total and the mean price of each gender and country are kept as far as these ranges
    allow. Where a customer has fewer rows than items, rows are split.
    """
    order, taker = _rows_taken(original, source)
    counts = np.diff(sets.indptr)
    order, taker, parts = _split(original.transactions, order, taker, counts)
    rows = original.transactions
    item = _dealt_items(rows, order, taker, sets)
    wanted = rows.amount[order] / parts
    group = _groups(original.master)[source][taker]
    price = _price_level(rows, item, group, rows.price[order], wanted, rows.quantity[order] / parts)
    quantity = np.clip(np.rint(wanted / price), 1, MAX_QUANTITY).astype(np.int64)
    quantity = _with_totals(taker, price, quantity, wanted)
    used, codes = np.unique(item, return_inverse=True)
    receipt = taker.astype(np.int64) * rows.receipt.n_labels + rows.receipt.codes[order]
    names, receipt_codes = np.unique(receipt, return_inverse=True)
    return Transactions(
        customer=frozen(taker.astype(np.int32)),
        receipt=Coded.of(receipt_codes, np.array([f"{name:015d}" for name in names.tolist()], dtype=object)),
        day=frozen(rows.day[order]),
        minute=frozen(rows.minute[order]),
        item=Coded.of(codes, rows.item.labels[used]),
        price=frozen(price),
        quantity=frozen(quantity),
    )


def _rows_taken(original: PurchaseData, source: Integers) -> tuple[Integers, Integers]:
    """Row numbers of T, and who takes each; customers whose source has no rows get none."""
    customer = original.transactions.customer
    taker_of = np.empty(len(source), dtype=np.int64)
    taker_of[source] = np.arange(len(source))
    order = np.argsort(taker_of[customer], kind="stable")
    return order, taker_of[customer[order]]


def _split(
    rows: Transactions, order: Integers, taker: Integers, counts: npt.NDArray[np.int32]
) -> tuple[Integers, Integers, Integers]:
    """Repeat rows until everybody has at least as many as items, the largest amounts first."""
    by_size = np.lexsort((-rows.amount[order], taker))
    order, taker = order[by_size], taker[by_size]
    have = np.bincount(taker, minlength=len(counts))
    rank = np.arange(len(taker)) - (np.cumsum(have) - have)[taker]
    each, rest = np.divmod(np.maximum(counts, have)[taker], have[taker])
    parts = each + (rank < rest)
    return np.repeat(order, parts), np.repeat(taker, parts), np.repeat(parts, parts)


def _dealt_items(
    rows: Transactions, order: Integers, taker: Integers, sets: sparse.csr_matrix
) -> npt.NDArray[np.int32]:
    """Deal the items of everybody's set to their rows, expensive to expensive; each at least once."""
    usual = usual_prices(rows)
    # Expensive items go to expensive, large rows: a small amount cannot hold one unit of an expensive item.
    dearness = rows.amount[order].astype(np.float64) * rows.price[order]
    by_price = np.lexsort((dearness, taker))
    have = np.bincount(taker, minlength=sets.shape[0])
    rank = np.arange(len(taker)) - (np.cumsum(have) - have)[taker[by_price]]
    owner = np.repeat(np.arange(sets.shape[0]), np.diff(sets.indptr))
    ranked = sets.indices[np.lexsort((usual[sets.indices], owner))]
    width = np.diff(sets.indptr)[taker[by_price]]
    place = sets.indptr[taker[by_price]] + rank * width // have[taker[by_price]]
    item = np.empty(len(taker), dtype=np.int32)
    item[by_price] = ranked[place]
    return item


def usual_prices(rows: Transactions) -> npt.NDArray[np.int64]:
    """The median price of every item in T (the lower one of two)."""
    by_price = np.lexsort((rows.price, rows.item.codes))
    count = np.bincount(rows.item.codes, minlength=rows.item.n_labels)
    return rows.price[by_price][np.cumsum(count) - count + (count - 1) // 2]


def price_ranges(rows: Transactions) -> tuple[Integers, Integers]:
    """The lowest and the highest price at which every item was sold."""
    low = np.full(rows.item.n_labels, np.iinfo(np.int64).max)
    high = np.zeros(rows.item.n_labels, dtype=np.int64)
    np.minimum.at(low, rows.item.codes, rows.price)
    np.maximum.at(high, rows.item.codes, rows.price)
    return low, high


def _groups(master: Master) -> Integers:
    """The groups of `cmae`: gender and country."""
    return master.gender.codes.astype(np.int64) * master.country.n_labels + master.country.codes


def _price_level(
    rows: Transactions,
    item: npt.NDArray[np.int32],
    group: Integers,
    price: Integers,
    wanted: npt.NDArray[np.float64],
    units: npt.NDArray[np.float64],
) -> Integers:
    """Prices within the range of each item, scaled by one factor per group so that mean prices stay.

    The factor f solves Σ max(1, amount / clip(f · price, low, high)) = Σ units, by bisection on log f.
    """
    low, high = (bound[item] for bound in price_ranges(rows))
    # One unit must not cost more than the row's amount, else the customer's total would grow.
    high = np.maximum(low, np.minimum(high, wanted))
    n = int(group.max()) + 1
    target = np.bincount(group, weights=units, minlength=n)
    left, right = np.full(n, -8.0), np.full(n, 8.0)
    for _ in range(40):
        middle = (left + right) / 2
        scaled = np.clip(price * exp(middle)[group], low, high)
        too_many = np.bincount(group, weights=np.maximum(1.0, wanted / scaled), minlength=n) > target
        left, right = np.where(too_many, middle, left), np.where(too_many, right, middle)
    return np.rint(np.clip(price * exp(right)[group], low, high)).astype(np.int64)


def _with_totals(
    taker: Integers, price: Integers, quantity: Integers, wanted: npt.NDArray[np.float64]
) -> Integers:
    """Move quantities so that everybody's total is what it was, up to half the price of a cheap item."""
    fixed = quantity.copy()
    n = int(taker.max()) + 1
    # Rows with large amounts can give most without standing out; the cheapest row then settles the rest.
    for preference in (-(price * quantity), price):
        excess = np.bincount(taker, weights=price * fixed - wanted, minlength=n)
        by_preference = np.lexsort((preference, taker))
        row = by_preference[np.unique(taker[by_preference], return_index=True)[1]]
        change = np.rint(excess[taker[row]] / price[row]).astype(np.int64)
        fixed[row] = np.clip(fixed[row] - change, 1, MAX_QUANTITY)
    return fixed
