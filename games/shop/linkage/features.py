"""What can be compared between original and released customers: items, days, receipts, prices, and more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attacks.linkage.feature_sets import Columns, View, scrambled_all, set_view, shared_codes
from datasets.tables import Coded, Codes, Integers
from games.shop.data.tables import Master, PurchaseData, Transactions


def item_view(original: PurchaseData, released: PurchaseData, *, rarity: bool = False) -> View:
    """Sets of purchased items."""
    left, right = common_codes(original.transactions.item, released.transactions.item)
    return transaction_view(original, released, ((left,), (right,)), rarity=rarity)


def quantity_view(original: PurchaseData, released: PurchaseData) -> View:
    """Multisets of (item, quantity), tokens weighted by rarity."""
    items = common_codes(original.transactions.item, released.transactions.item)
    columns = ((items[0], original.transactions.quantity), (items[1], released.transactions.quantity))
    return transaction_view(original, released, columns, copies=True, rarity=True)


def price_view(original: PurchaseData, released: PurchaseData) -> View:
    """Multisets of (item, unit price), tokens weighted by rarity."""
    items = common_codes(original.transactions.item, released.transactions.item)
    columns = ((items[0], original.transactions.price), (items[1], released.transactions.price))
    return transaction_view(original, released, columns, copies=True, rarity=True)


def day_view(original: PurchaseData, released: PurchaseData) -> View:
    """Multisets of the days of the receipts, tokens weighted by rarity."""
    left, right = receipts(original.transactions), receipts(released.transactions)
    return set_view(
        (original.n_customers, released.n_customers),
        (left.customer, right.customer),
        ((left.day,), (right.day,)),
        copies=True,
        rarity=True,
    )


def receipt_view(original: PurchaseData, released: PurchaseData) -> View:
    """Multisets of receipts, each described by its lines, by its minute, and by day and lines."""
    sides = [receipts(data.transactions) for data in (original, released)]
    columns = []
    for side in sides:
        nothing = np.zeros_like(side.lines)
        kind = np.repeat([0, 1, 2], len(side.lines))
        first = np.concatenate([nothing, side.minute, side.day])
        second = np.concatenate([side.lines, nothing, side.lines])
        columns.append((kind, first, second))
    return set_view(
        (original.n_customers, released.n_customers),
        (np.tile(sides[0].customer, 3), np.tile(sides[1].customer, 3)),
        (columns[0], columns[1]),
        copies=True,
        rarity=True,
    )


def basket_view(original: PurchaseData, released: PurchaseData, *, days: bool) -> View:
    """Whole receipts as tokens: equal where items and quantities (and the day) are all equal."""
    items = common_codes(original.transactions.item, released.transactions.item)
    lines = shared_codes(
        (items[0], original.transactions.quantity), (items[1], released.transactions.quantity)
    )[:2]
    sides = [receipts(data.transactions) for data in (original, released)]
    columns = []
    for side, line in zip(sides, lines, strict=True):
        # Two receipts are taken to be equal if two independent sums over their lines agree.
        sums = np.zeros((2, len(side.lines)), dtype=np.int64)
        for which, seed in enumerate((0, 1 << 40)):
            np.add.at(sums[which], side.receipt_of_line, scrambled_all(line.astype(np.int64) + seed))
        columns.append((side.day * days, side.lines, sums[0], sums[1]))
    return set_view(
        (original.n_customers, released.n_customers),
        (sides[0].customer, sides[1].customer),
        (columns[0], columns[1]),
    )


def master_view(original: PurchaseData, released: PurchaseData) -> View:
    """Sets of gender, country, birthday, and the year and the month of the birthday, weighted by rarity."""
    left, right = (_master_texts(data.master) for data in (original, released))
    codes = common_codes(Coded.from_texts(left), Coded.from_texts(right))
    rows = (
        np.tile(np.arange(original.n_customers), len(left) // max(original.n_customers, 1)),
        np.tile(np.arange(released.n_customers), len(right) // max(released.n_customers, 1)),
    )
    sizes = (original.n_customers, released.n_customers)
    return set_view(sizes, rows, ((codes[0],), (codes[1],)), rarity=True)


def _master_texts(master: Master) -> npt.NDArray[np.object_]:
    """One text per person and attribute, attribute after attribute, prefixed with the attribute's name."""
    birthdays = master.birthday.labels.tolist()
    parts: list[tuple[str, list[str], Codes]] = [
        ("gender ", master.gender.labels.tolist(), master.gender.codes),
        ("country ", master.country.labels.tolist(), master.country.codes),
        ("birthday ", birthdays, master.birthday.codes),
        ("year ", [text.split("/")[0] for text in birthdays], master.birthday.codes),
        ("month ", [text.rpartition("/")[0] for text in birthdays], master.birthday.codes),
    ]
    return np.concatenate(
        [np.array([name + text for text in labels], dtype=object)[codes] for name, labels, codes in parts]
    )


@dataclass(frozen=True, eq=False)
class Receipts:
    """One row per receipt: its customer, earliest day and minute, lines; and the receipt of each row of T."""

    customer: Integers
    day: Integers
    minute: Integers
    lines: Integers
    receipt_of_line: Integers


def receipts(rows: Transactions) -> Receipts:
    """Gather the lines of T that share customer and receipt."""
    owner = rows.customer.astype(np.int64) * max(rows.receipt.n_labels, 1) + rows.receipt.codes
    moment = rows.day.astype(np.int64) * 1440 + rows.minute
    keys, receipt_of_line, lines = np.unique(owner, return_inverse=True, return_counts=True)
    earliest = np.full(len(keys), np.iinfo(np.int64).max)
    np.minimum.at(earliest, receipt_of_line, moment)
    day, minute = np.divmod(earliest, 1440)
    customer = keys // max(rows.receipt.n_labels, 1)
    return Receipts(customer, day, minute, lines, receipt_of_line)


def common_codes(original: Coded, released: Coded) -> tuple[Codes, Codes]:
    """Two columns of texts as numbers that are equal where the texts are.

    >>> common_codes(Coded.from_texts(["tea", "pie"]), Coded.from_texts(["tea", "jam"]))
    (array([2, 1], dtype=int32), array([2, 0], dtype=int32))
    """
    _, numbers = np.unique(np.concatenate([original.labels, released.labels]), return_inverse=True)
    codes = numbers.astype(np.int32)
    return codes[original.codes], codes[original.n_labels :][released.codes]


def transaction_view(
    original: PurchaseData,
    released: PurchaseData,
    columns: tuple[Columns, Columns],
    *,
    copies: bool = False,
    rarity: bool = False,
) -> View:
    """A view of which each row of T and of T′ gives one token."""
    return set_view(
        (original.n_customers, released.n_customers),
        (original.transactions.customer, released.transactions.customer),
        columns,
        copies=copies,
        rarity=rarity,
    )
