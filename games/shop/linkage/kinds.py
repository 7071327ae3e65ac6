"""The kinds of evidence that two customers are one: items, days, receipts, amounts, attributes, habits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from arithmetic import log1p, product
from attacks.linkage.likelihood import (
    Pairs,
    Scores,
    Things,
    equality_scores,
    kernel_scores,
    number_scores,
    token_scores,
)
from attacks.linkage.refit import Family
from datasets.tables import Coded, Integers
from games.shop.data.tables import PurchaseData
from games.shop.linkage.customer_weeks import customer_weeks, first_day
from games.shop.linkage.discriminant import learn, mean_weeks
from games.shop.linkage.features import Receipts, common_codes, receipts
from games.shop.linkage.numbers import totals

Floats = npt.NDArray[np.float64]

NOISES = (0.1, 0.5, 0.9)
"""Shares of purchases that may have been replaced."""
WIDTHS = (0, 3, 10, 30)
"""Days by which receipts may have moved."""
DAY_NOISE = 0.3
ALIKE = 0.3
"""Differences in size up to this share of their spread are none: who is exactly as large is evidence."""
FEW_SPLIT = 0.2
"""Where fewer customers have two receipts, rows are split instead of receipts."""


class Sides:
    """Both tables with what the kinds share: codes of items, receipts, and the half of each released row."""

    def __init__(self, original: PurchaseData, released: PurchaseData) -> None:
        self.original, self.released = original, released
        self.items = common_codes(original.transactions.item, released.transactions.item)
        self.receipts = receipts(original.transactions), receipts(released.transactions)
        self.half_of_receipt, self.half_of_row = _halves(released, self.receipts[1])

    def rows(self, *names: str) -> tuple[Things, Things]:
        """The rows of T and T′ as things, named by some columns."""
        sides = zip((self.original, self.released), self.items, strict=True)
        known, asked = (
            tuple(item if name == "item" else getattr(data.transactions, name) for name in names)
            for data, item in sides
        )
        owners = self.original.transactions.customer, self.released.transactions.customer
        return Things(owners[0], np.zeros(len(owners[0])), known), Things(owners[1], self.half_of_row, asked)

    def visits(self, *names: str) -> tuple[Things, Things]:
        """The receipts of both tables as things."""
        known, asked = (tuple(getattr(side, name) for name in names) for side in self.receipts)
        left, right = self.receipts
        return Things(left.customer, np.zeros(len(left.day)), known), Things(
            right.customer, self.half_of_receipt, asked
        )

    def since_first(self) -> tuple[Things, Things]:
        """The receipts as things, named by the days since the customer's first: a common shift cancels."""
        known, asked = self.visits("day")
        ages = []
        for side, n in ((known, self.original.n_customers), (asked, self.released.n_customers)):
            first = np.full(n, np.iinfo(np.int64).max)
            np.minimum.at(first, side.owner, side.columns[0])
            ages.append(Things(side.owner, side.half, (side.columns[0] - first[side.owner],)))
        return ages[0], ages[1]


def _halves(released: PurchaseData, visits: Receipts) -> tuple[Integers, Integers]:
    """The half of each receipt and of each row: every second day of a customer with a purchase.

    Days, not receipts: what was one receipt may have been broken up, and its parts would prove each other.
    """
    rows, n = released.transactions, released.n_customers
    half = _alternating(visits.customer, visits.day, n)
    days = np.bincount(np.unique(visits.customer * (1 << 32) + visits.day) >> 32, minlength=n)
    if (days > 1).sum() >= FEW_SPLIT * max((days > 0).sum(), 1):
        return half, half[visits.receipt_of_line]
    order = np.lexsort((rows.quantity, rows.price, rows.item.codes, rows.day, rows.customer))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return half, _alternating(rows.customer, place, n)


def _alternating(owner: npt.NDArray, value: npt.NDArray, n_owners: int) -> Integers:
    """0 and 1 in turn for the distinct values of each owner, in ascending order."""
    keys, inverse = np.unique(owner.astype(np.int64) * (1 << 32) + value, return_inverse=True)
    holder = keys >> 32
    begin = np.concatenate([[0], np.cumsum(np.bincount(holder, minlength=n_owners))])
    return ((np.arange(len(keys)) - begin[holder]) % 2)[inverse]


def families(pairs: Pairs, original: PurchaseData, released: PurchaseData) -> list[Family]:
    """All kinds of evidence about the pairs, by family."""
    sides = Sides(original, released)
    return [
        _family("items", "items", _items(pairs, sides)),
        _family("days", "time", _days(pairs, sides)),
        _family("span", "time", _span(pairs, sides)),
        _family("receipts", "amounts", _receipts(pairs, sides)),
        _family("counts", "amounts", _numbers(pairs, sides, ("rows", "receipts", "items"))),
        _family("money", "amounts", _numbers(pairs, sides, ("total", "units"))),
        _family("attributes", "attributes", _attributes(pairs, sides)),
        _family("habits", "", _habits(pairs, sides)),
    ]


def sizes(pairs: Pairs, original: PurchaseData, released: PurchaseData) -> Scores:
    """How far customers differ in the numbers of rows and receipts, which show in all that they do."""
    scores = []
    for name in ("rows", "receipts"):
        known, asked = (log1p(_amount(data, name)) for data in (original, released))
        spread = float(known.std()) or 1.0
        away = np.abs(asked[pairs.released] - known[pairs.original]) / spread
        scores.append(-np.maximum(away - ALIKE, 0.0))
    return np.array(scores, dtype=np.float32)


Kinds = Iterator[tuple[str, Scores]]


def _family(name: str, group: str, kinds: Kinds) -> Family:
    names, scores = zip(*kinds, strict=True)
    return Family(name, group, names, np.array([np.atleast_2d(score) for score in scores], dtype=np.float32))


def _items(pairs: Pairs, sides: Sides) -> Kinds:
    for noise, scores in zip(NOISES, token_scores(pairs, *sides.rows("item"), NOISES), strict=True):
        yield f"items, {noise:.0%} noise", scores
    yield "item sets", token_scores(pairs, *sides.rows("item"), (0.5,), once=True)[0]
    yield "items and quantities", token_scores(pairs, *sides.rows("item", "quantity"), (0.5,))[0]
    yield "items and prices", token_scores(pairs, *sides.rows("item", "price"), (0.5,))[0]


def _days(pairs: Pairs, sides: Sides) -> Kinds:
    for width in WIDTHS:
        yield f"days, ±{width}", kernel_scores(pairs, *sides.visits("day"), width, DAY_NOISE)
    for width in WIDTHS[:2]:
        yield f"days since the first, ±{width}", kernel_scores(pairs, *sides.since_first(), width, DAY_NOISE)
    yield "items and days", token_scores(pairs, *sides.rows("item", "day"), (0.5,))[0]
    yield "lines and days", token_scores(pairs, *sides.visits("day", "lines"), (0.3,))[0]
    yield "times of day", token_scores(pairs, *sides.visits("minute"), (0.3,))[0]


def _receipts(pairs: Pairs, sides: Sides) -> Kinds:
    yield "lines of receipts", token_scores(pairs, *sides.visits("lines"), (0.3,))[0]


def _habits(pairs: Pairs, sides: Sides) -> Kinds:
    """−m/2 · ‖mean week − m_j‖² as in re-logit: the logarithm of a normal density, up to a constant."""
    begin = first_day(sides.original)
    model = learn(customer_weeks(sides.original, begin))
    weeks = customer_weeks(sides.released, begin)
    centred = product(weeks.x - model.centre, model.transform)
    asked, count = mean_weeks(centred, weeks.customer, weeks.n_customers)
    total = np.zeros(len(pairs.original))
    for direction in range(asked.shape[1]):
        total += (asked[pairs.released, direction] - model.means[pairs.original, direction]) ** 2
    times = np.sqrt(count.astype(np.float64))
    for name, factor in (("weeks", count), ("weeks, far", times)):
        scores = -0.5 * factor[pairs.released] * total
        yield name, np.where(model.seen[pairs.original], scores, 0.0).astype(np.float32)


def _numbers(pairs: Pairs, sides: Sides, names: tuple[str, ...]) -> Kinds:
    for name in names:
        known, asked = (_amount(data, name) for data in (sides.original, sides.released))
        near, wide = number_scores(pairs, log1p(known), log1p(asked))
        yield f"{name}, near", near
        yield f"{name}, far", wide


def _amount(data: PurchaseData, name: str) -> Floats:
    rows, n = data.transactions, data.n_customers
    if name == "total":
        return totals(data).astype(np.float64)
    if name == "rows":
        return np.bincount(rows.customer, minlength=n).astype(np.float64)
    if name == "units":
        return np.bincount(rows.customer, weights=rows.quantity, minlength=n).astype(np.float64)
    column = rows.receipt if name == "receipts" else rows.item
    width = max(column.n_labels, 1)
    held = np.unique(rows.customer.astype(np.int64) * width + column.codes) // width
    return np.bincount(held, minlength=n).astype(np.float64)


def _span(pairs: Pairs, sides: Sides) -> Kinds:
    for name, add, empty in (("first day", np.minimum, 1 << 20), ("last day", np.maximum, -(1 << 20))):
        ends = []
        for data in (sides.original, sides.released):
            end = np.full(data.n_customers, empty, dtype=np.int64)
            add.at(end, data.transactions.customer, data.transactions.day)
            ends.append(np.where(end == empty, 0, end).astype(np.float64))
        near, wide = number_scores(pairs, ends[0], ends[1])
        yield f"{name}, near", near
        yield f"{name}, far", wide


def _attributes(pairs: Pairs, sides: Sides) -> Kinds:
    left, right = sides.original.master, sides.released.master
    yield "gender", equality_scores(pairs, *common_codes(left.gender, right.gender))
    yield "country", equality_scores(pairs, *common_codes(left.country, right.country))
    yield "birthday", equality_scores(pairs, *common_codes(left.birthday, right.birthday))
    for name, parts in (("year of birth", 1), ("month of birth", 2)):
        cut = common_codes(_cut(left.birthday, parts), _cut(right.birthday, parts))
        yield name, equality_scores(pairs, *cut)


def _cut(birthday: Coded, parts: int) -> Coded:
    labels = np.array(["/".join(text.split("/")[:parts]) for text in birthday.labels], dtype=object)
    return Coded.from_texts(labels[birthday.codes])
