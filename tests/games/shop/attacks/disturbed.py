"""Entries that disturb, deal out or forge one thing after another, each with its truth: food for attacks.

An entry starts as the original under new names in a new order. Its steps then change columns in place; what
they leave alone stays true. Steps that forge replace one kind of evidence by that of somebody else, for all
people in the same way, so that an attack which trusts it finds nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from datasets.tables import Coded, Integers, frozen
from games.shop.data.tables import Master, PurchaseData, Release, Transactions
from games.shop.linkage.numbers import totals


@dataclass
class Draft:
    """An entry in the making: people are still the rows of M; ``of`` says whose attributes each one shows."""

    original: PurchaseData
    rng: np.random.Generator
    of: dict[str, Integers]
    columns: dict[str, np.ndarray]

    @property
    def n_people(self) -> int:
        return self.original.n_customers

    @property
    def n_rows(self) -> int:
        return len(self.columns["customer"])

    def some(self, share: float) -> np.ndarray:
        return self.rng.random(self.n_rows) < share

    def donors(self) -> Integers:
        """One random row of T for each row of the draft."""
        return self.rng.integers(0, self.original.transactions.n_rows, self.n_rows)

    def keep(self, rows: np.ndarray) -> None:
        self.columns = {name: column[rows] for name, column in self.columns.items()}


Step = Callable[[Draft], None]


def entry(original: PurchaseData, seed: int, *steps: Step) -> Release:
    """The original after some steps, under new names and in a new order."""
    rows = original.transactions
    columns = {
        name: np.array(getattr(rows, name), dtype=np.int64)
        for name in ("customer", "day", "minute", "price", "quantity")
    }
    columns |= {"receipt": rows.receipt.codes.astype(np.int64), "item": rows.item.codes.astype(np.int64)}
    of = {name: np.arange(original.n_customers) for name in ("gender", "birthday", "country")}
    draft = Draft(original, np.random.default_rng(seed), of, columns)
    for step in steps:
        step(draft)
    return _released(draft)


def _released(draft: Draft) -> Release:
    rng, n, master = draft.rng, draft.n_people, draft.original.master
    truth = rng.permutation(n)
    place = np.empty(n, dtype=np.int32)
    place[truth] = np.arange(n, dtype=np.int32)
    order = rng.permutation(draft.n_rows)
    columns = {name: column[order] for name, column in draft.columns.items()}
    people = Master(
        frozen(np.array([f"p{row}" for row in range(n)], dtype=object)),
        *(getattr(master, name).take(draft.of[name][truth]) for name in ("gender", "birthday", "country")),
    )
    rows = Transactions(
        customer=frozen(place[columns["customer"]]),
        receipt=Coded.from_texts([f"r{number:07d}" for number in columns["receipt"]]),
        day=frozen(columns["day"].astype(np.int32)),
        minute=frozen(columns["minute"].astype(np.int32)),
        item=Coded.from_texts(draft.original.transactions.item.labels[columns["item"]]),
        price=frozen(columns["price"]),
        quantity=frozen(columns["quantity"]),
    )
    return Release(PurchaseData(people, rows), frozen(truth.astype(np.int64)))


def rows_changed(share: float) -> Step:
    """Some rows take item, price and quantity from a random row of T."""

    def step(draft: Draft) -> None:
        chosen, donor, rows = draft.some(share), draft.donors(), draft.original.transactions
        for name, column in (("item", rows.item.codes), ("price", rows.price), ("quantity", rows.quantity)):
            draft.columns[name] = np.where(chosen, column[donor], draft.columns[name])

    return step


def column_changed(name: str, share: float) -> Step:
    """Some rows take one column from a random row of T."""

    def step(draft: Draft) -> None:
        chosen, donor, rows = draft.some(share), draft.donors(), draft.original.transactions
        column = rows.item.codes if name == "item" else getattr(rows, name)
        draft.columns[name] = np.where(chosen, column[donor], draft.columns[name])

    return step


def days_moved(reach: int, *, by_row: bool = False) -> Step:
    """Each receipt, or each row, moves by up to that many days."""

    def step(draft: Draft) -> None:
        key = np.arange(draft.n_rows) if by_row else draft.columns["receipt"]
        moves = draft.rng.integers(-reach, reach + 1, int(key.max(initial=0)) + 1)
        draft.columns["day"] = draft.columns["day"] + moves[key]

    return step


def days_offset(days: int) -> Step:
    """All dates move by the same number of days."""

    def step(draft: Draft) -> None:
        draft.columns["day"] = draft.columns["day"] + days

    return step


def days_mirrored(draft: Draft) -> None:
    """The first day becomes the last."""
    day = draft.original.transactions.day
    draft.columns["day"] = int(day.min()) + int(day.max()) - draft.columns["day"]


def minutes_drawn(draft: Draft) -> None:
    drawn = draft.rng.integers(480, 1200, int(draft.columns["receipt"].max(initial=0)) + 1)
    draft.columns["minute"] = drawn[draft.columns["receipt"]]


def rows_dropped(share: float) -> Step:
    def step(draft: Draft) -> None:
        draft.keep(np.flatnonzero(~draft.some(share)))

    return step


def receipts_merged(draft: Draft) -> None:
    """Each customer's receipts become one, on the day of the first."""
    customer = draft.columns["customer"]
    first = np.full(draft.n_people, np.iinfo(np.int64).max)
    np.minimum.at(first, customer, draft.columns["day"])
    draft.columns |= {
        "receipt": customer.copy(),
        "day": first[customer],
        "minute": np.full(draft.n_rows, 600),
    }


def receipts_broken_up(draft: Draft) -> None:
    """Every row becomes a receipt of its own."""
    draft.columns["receipt"] = np.arange(draft.n_rows)


def receipts_dealt(draft: Draft) -> None:
    """Whole receipts go to random people."""
    owner = draft.rng.integers(0, draft.n_people, int(draft.columns["receipt"].max(initial=0)) + 1)
    draft.columns["customer"] = owner[draft.columns["receipt"]]


def prices_scaled(spread: float) -> Step:
    def step(draft: Draft) -> None:
        factor = 1 + spread * (2 * draft.rng.random(draft.n_rows) - 1)
        draft.columns["price"] = np.maximum(1, np.rint(draft.columns["price"] * factor)).astype(np.int64)

    return step


def attributes_dealt(draft: Draft) -> None:
    """The rows of M′ are dealt out: everybody shows another person's attributes."""
    dealt = draft.rng.permutation(draft.n_people)
    draft.of = dict.fromkeys(draft.of, dealt)


def attributes_dealt_apart(draft: Draft) -> None:
    draft.of = {name: draft.rng.permutation(draft.n_people) for name in draft.of}


def attributes_constant(draft: Draft) -> None:
    draft.of = dict.fromkeys(draft.of, np.zeros(draft.n_people, dtype=np.int64))


def attributes_swapped(draft: Draft) -> None:
    """Everybody shows the attributes of the partner with the nearest total."""
    draft.of = dict.fromkeys(draft.of, partners(draft))


def partners(draft: Draft) -> Integers:
    """People paired by total: each one's partner; an odd one out stays alone."""
    order = np.argsort(totals(draft.original), kind="stable")
    partner = np.arange(draft.n_people)
    even = len(order) - len(order) % 2
    partner[order[0:even:2]], partner[order[1:even:2]] = order[1:even:2], order[0:even:2]
    return partner


def totals_forged(draft: Draft) -> None:
    """Quantity 1 everywhere, and a last row that brings each total to about that of the partner."""
    partner = partners(draft)
    wanted = totals(draft.original)[partner]
    customer = draft.columns["customer"]
    draft.columns["quantity"] = np.ones(draft.n_rows, dtype=np.int64)
    spent = np.bincount(customer, weights=draft.columns["price"], minlength=draft.n_people).astype(np.int64)
    last = np.full(draft.n_people, -1)
    last[customer] = np.arange(draft.n_rows)
    for person in np.flatnonzero(last >= 0):
        missing = int(wanted[person] - spent[person])
        price = draft.columns["price"][last[person]]
        draft.columns["price"][last[person]] = max(1, price + missing)


def days_of_others(draft: Draft) -> None:
    """Each row takes a day and a minute of the customer's partner."""
    _columns_of_partner(draft, ("day", "minute"))


def items_of_others(draft: Draft) -> None:
    """Each row takes the item and the price of a row of the customer's partner."""
    _columns_of_partner(draft, ("item", "price"))


def quantities_of_others(draft: Draft) -> None:
    _columns_of_partner(draft, ("quantity",))


def _columns_of_partner(draft: Draft, names: tuple[str, ...]) -> None:
    partner, rows = partners(draft), draft.original.transactions
    by_person = np.argsort(rows.customer, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(rows.customer, minlength=draft.n_people))])
    whose = partner[draft.columns["customer"]]
    count = start[whose + 1] - start[whose]
    key = draft.columns["receipt"] if "day" in names else np.arange(draft.n_rows)
    drawn = draft.rng.random(int(key.max(initial=0)) + 1)[key]
    donor = by_person[start[whose] + np.minimum((drawn * count).astype(np.int64), count - 1)]
    for name in names:
        column = rows.item.codes if name == "item" else getattr(rows, name)
        draft.columns[name] = column[donor].astype(np.int64)


def items_renamed(draft: Draft) -> None:
    """Items trade names by a fixed permutation, so that all are wrong in the same way."""
    renamed = draft.rng.permutation(draft.original.transactions.item.n_labels)
    draft.columns["item"] = renamed[draft.columns["item"]]


def histories_doubled(draft: Draft) -> None:
    """Everybody also gets a third of the rows of the partner."""
    extra = np.flatnonzero(draft.some(1 / 3))
    partner = partners(draft)
    more = {name: column[extra] for name, column in draft.columns.items()}
    more["customer"] = partner[more["customer"]]
    more["receipt"] = more["receipt"] + int(draft.columns["receipt"].max(initial=0)) + 1
    draft.columns = {name: np.concatenate([draft.columns[name], more[name]]) for name in draft.columns}


def noisy(share: float, reach: int) -> tuple[Step, ...]:
    """Attributes dealt out, a share of the rows changed, receipts moved."""
    return (attributes_dealt, rows_changed(share), days_moved(reach), minutes_drawn)


ENTRIES: dict[str, tuple[Step, ...]] = {
    "dealt, 60 % of rows, ±10 days": noisy(0.6, 10),
    "dealt, 80 % of rows, ±15 days": noisy(0.8, 15),
    "dealt, 92 % of rows, ±30 days": noisy(0.92, 30),
    "dealt, 60 % of rows, receipts broken up": (*noisy(0.6, 10), receipts_broken_up, minutes_drawn),
    "dealt, 80 % of rows, receipts broken up": (*noisy(0.8, 15), receipts_broken_up, minutes_drawn),
    "constant M′, 80 % of rows, ±15 days": (
        attributes_constant,
        rows_changed(0.8),
        days_moved(15),
        minutes_drawn,
    ),
    "kept M′, 92 % of rows, ±30 days": (rows_changed(0.92), days_moved(30), minutes_drawn),
    "dealt apart, 70 % of rows, ±20 days": (
        attributes_dealt_apart,
        rows_changed(0.7),
        days_moved(20),
        minutes_drawn,
    ),
    "dealt, half of the rows dropped": (attributes_dealt, rows_dropped(0.5), days_moved(5)),
    "dealt, 90 % of the rows dropped": (attributes_dealt, rows_dropped(0.9), days_moved(10), minutes_drawn),
    "dealt, items changed": (attributes_dealt, column_changed("item", 0.9)),
    "dealt, all items changed, ±5 days": (attributes_dealt, column_changed("item", 1.0), days_moved(5)),
    "dealt, quantities changed, ±200 days": (
        attributes_dealt,
        column_changed("quantity", 1.0),
        days_moved(200),
        minutes_drawn,
    ),
    "dealt, prices scaled, ±200 days": (attributes_dealt, prices_scaled(0.3), days_moved(200), minutes_drawn),
    "dealt, days by row ±30": (attributes_dealt, rows_changed(0.5), days_moved(30, by_row=True)),
    "dealt, receipts merged": (attributes_dealt, receipts_merged, rows_changed(0.6)),
    "dealt, receipts merged, 85 % of rows": (attributes_dealt, receipts_merged, rows_changed(0.85)),
    "kept M′, receipts dealt": (receipts_dealt,),
    "kept M′, receipts dealt, rows changed": (receipts_dealt, rows_changed(0.5), days_moved(10)),
    "kept M′, all rows changed, ±200 days": (rows_changed(1.0), days_moved(200), minutes_drawn),
    "constant M′, all items changed, ±20 days": (
        attributes_constant,
        column_changed("item", 1.0),
        days_moved(20),
        minutes_drawn,
    ),
    "constant M′, all rows changed, ±3 days": (
        attributes_constant,
        rows_changed(1.0),
        days_moved(3),
        minutes_drawn,
    ),
    "attributes of the partner": (attributes_swapped, rows_changed(0.5), days_moved(10)),
    "attributes of the partner, 85 % of rows": (
        attributes_swapped,
        rows_changed(0.85),
        days_moved(20),
        minutes_drawn,
    ),
    "totals of the partner": (
        totals_forged,
        attributes_dealt,
        rows_changed(0.5),
        days_moved(10),
        minutes_drawn,
    ),
    "totals of the partner, kept M′": (rows_changed(0.8), totals_forged, days_moved(20)),
    "days of the partner": (days_of_others, rows_changed(0.5)),
    "days of the partner, dealt": (days_of_others, attributes_dealt, rows_changed(0.5)),
    "items of the partner": (items_of_others,),
    "items of the partner, dealt": (items_of_others, attributes_dealt, days_moved(3), minutes_drawn),
    "items renamed": (items_renamed, days_moved(5)),
    "items renamed, dealt": (items_renamed, attributes_dealt, days_moved(5), minutes_drawn),
    "days mirrored, dealt": (days_mirrored, attributes_dealt, rows_changed(0.7), minutes_drawn),
    "days 100 later, dealt": (days_offset(100), attributes_dealt, rows_changed(0.8), minutes_drawn),
    "days 100 later, dealt, items changed": (
        days_offset(100),
        attributes_dealt,
        column_changed("item", 1.0),
        minutes_drawn,
    ),
    "quantities of the partner, dealt": (quantities_of_others, attributes_dealt, rows_changed(0.7)),
    "a third of the partner's rows": (histories_doubled, attributes_dealt, rows_changed(0.5)),
}
"""By name: disturbed first, then those made to mislead by one kind of evidence each."""

TWICE_FORGED: tuple[Step, ...] = (attributes_swapped, days_of_others, rows_changed(0.4))
"""Attributes and days are those of one and the same other person: nothing in the entry says who it is."""
