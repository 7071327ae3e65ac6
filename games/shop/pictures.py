"""What the pictures of data sets and entries show, as numbers with their words; a platform draws them."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.shop.words import Said, Sentence, marked

WEEKDAYS = tuple(
    marked(day) for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
)
BEFORE, AFTER = marked("before"), marked("after")
CUSTOMERS, LINES = marked("customers"), marked("purchased lines")
COUNTED = {
    "baskets": (marked("Basket sizes"), marked("lines on a receipt"), marked("receipts")),
    "items": (marked("Items by how often they are bought"), marked("purchases of an item"), marked("items")),
    "months": (marked("Purchases per month"), marked("month"), LINES),
    "weekdays": (marked("Purchases by day of the week"), marked("day of the week"), LINES),
}
"""What is counted of a data set, in the order of the page: title, what the classes are, what is counted."""
MOVED_TITLE = marked("How far the customers’ item sets moved")
DISTANCE = marked("Jaccard distance (0: same items, 1: none in common)")
DATE = marked("date")
CELLS_TITLE = marked("Recency, frequency and money before and after")
FREQUENCY = marked("frequency")
MONEY = marked("money")
MOVED = Sentence(
    "Of %(n)s customer %(little)s kept more than nine tenths of the items; %(half)s moved by a half or more; "
    "%(vanished)s vanished.",
    "Of %(n)s customers %(little)s kept more than nine tenths of their items; %(half)s moved by a half or "
    "more; %(vanished)s vanished.",
)
DAYS = Sentence("Purchases per day, before and after")
SOME_DAYS = Sentence("Purchases in %(step)s days before and after")
DAY_BY_DAY = Sentence(
    "Purchased lines from %(first)s to %(last)s: %(before)s before and %(after)s after; day by day they "
    "differ by %(off)s in all."
)
CELLS = Sentence(
    "Customers in 125 cells of recency, frequency and money. Cells in use before: %(used)s, after: "
    "%(used_after)s. To get from one picture to the other, %(moved)s customer must change the cell.",
    "Customers in 125 cells of recency, frequency and money. Cells in use before: %(used)s, after: "
    "%(used_after)s. To get from one picture to the other, %(moved)s customers must change their cell.",
)
RECENCY = tuple(marked(text) for text in ("bought last", "recency 2", "recency 3", "recency 4", "long ago"))
CELL_COLUMNS = tuple(
    marked(text)
    for text in (
        "recency class", "frequency class", "money class", "customers before", "customers after", "change",
    )
)  # fmt: skip


@dataclass(frozen=True)
class Counts:
    """Counts under a name."""

    name: str
    counts: Sequence[int]


@dataclass(frozen=True)
class Bars:
    """Counts by class. Without a summary the platform says which class is the largest."""

    name: str
    title: str
    classes: Sequence[str]
    series: tuple[Counts, ...]
    x_label: str
    y_label: str
    summary: Said | None = None
    classes_are_words: bool = False
    """Whether the classes are texts that are translated."""


@dataclass(frozen=True)
class DayLines:
    """Counts over days, or over steps of several days."""

    name: str
    title: Said
    summary: Said
    days: Sequence[datetime.date]
    series: tuple[Counts, ...]
    x_label: str
    y_label: str


@dataclass(frozen=True)
class Cubes:
    """Counts in cells of three classifications before and after; ``slices`` are the classes of the first.

    Cell (a, b, c), counted from 0, of k classes each is at (a·k + b)·k + c. The columns of the table are the
    three classes, both counts and their difference.
    """

    name: str
    title: str
    summary: Said
    before: Counts
    after: Counts
    slices: tuple[str, ...]
    x_label: str
    y_label: str
    columns: tuple[str, ...]


Picture = Bars | DayLines | Cubes


def dataset_pictures(counted: Mapping[str, Sequence[tuple[str, int]]]) -> list[Bars]:
    """Bars of everything that was counted of a data set."""
    made = []
    for name, (title, x_label, y_label) in COUNTED.items():
        if name in counted:
            classes = [label for label, _count in counted[name]]
            if name == "weekdays":
                classes = [WEEKDAYS[int(number)] for number in classes]
            counts = Counts(y_label, [count for _label, count in counted[name]])
            words = name == "weekdays"
            made.append(Bars(name, title, classes, (counts,), x_label, y_label, classes_are_words=words))
    return made


def entry_pictures(numbers: Mapping[str, Any]) -> list[Picture]:
    """One picture for each part of a portrait that is there; formats without a table have no part for it."""
    made: list[Picture] = []
    if "jaccard" in numbers:
        made.append(_jaccard(numbers["jaccard"]))
    if numbers.get("days", {}).get("before"):
        made.append(_days(numbers["days"]))
    if "rfm" in numbers:
        made.append(_rfm(numbers["rfm"]["before"], numbers["rfm"]["after"]))
    return made


def _jaccard(numbers: Mapping[str, Any]) -> Bars:
    edges, counts = numbers["edges"], numbers["counts"]
    n = sum(counts)
    half = sum(count for count, low in zip(counts, edges, strict=False) if low >= 0.5)
    return Bars(
        "jaccard",
        MOVED_TITLE,
        [f"{low:g}–{high:g}" for low, high in itertools.pairwise(edges)],
        (Counts(CUSTOMERS, counts),),
        x_label=DISTANCE,
        y_label=CUSTOMERS,
        summary=MOVED(n, n=n, little=counts[0], half=half, vanished=numbers["vanished"]),
    )


def _days(numbers: Mapping[str, Any]) -> DayLines:
    first = datetime.date(*(int(part) for part in numbers["first"].split("/")))
    step, before, after = numbers["step"], numbers["before"], numbers["after"]
    days = [first + datetime.timedelta(days=step * place) for place in range(len(before))]
    summary = DAY_BY_DAY(
        before=sum(before),
        after=sum(after),
        off=sum(abs(a - b) for a, b in zip(before, after, strict=True)),
        first=days[0].isoformat(),
        last=days[-1].isoformat(),
    )
    return DayLines(
        "days",
        SOME_DAYS(step=step) if step > 1 else DAYS(),
        summary,
        days,
        (Counts(BEFORE, before), Counts(AFTER, after)),
        x_label=DATE,
        y_label=LINES,
    )


def _rfm(before: Sequence[int], after: Sequence[int]) -> Cubes:
    moved = sum(max(0, b - a) for a, b in zip(before, after, strict=True))
    used, used_after = (sum(1 for count in counts if count) for counts in (before, after))
    return Cubes(
        "rfm",
        CELLS_TITLE,
        CELLS(moved, used=used, used_after=used_after, moved=moved),
        Counts(BEFORE, before),
        Counts(AFTER, after),
        RECENCY,
        x_label=FREQUENCY,
        y_label=MONEY,
        columns=CELL_COLUMNS,
    )
