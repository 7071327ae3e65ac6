"""Entries that an attacker makes for practice from M and T, whose truth is known because it made them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from datasets.tables import Coded, Integers, frozen
from games.shop.data.tables import Master, PurchaseData, Release, Transactions

CLUSTER = 4


def practice_entry(original: PurchaseData, size: int, rng: np.random.Generator) -> Release:
    """Draw up to ``size`` customers and disguise them by a recipe drawn at random.

    The recipe says how many rows lose their item, quantity or price to a random row of T, how far receipts
    move in time, how many rows vanish, what becomes of M, and whether receipts are dealt to other people or
    whole groups get one person's items.
    """
    people = np.sort(rng.permutation(original.n_customers)[:size])
    drawn = _rows_of(original, people)
    structure = rng.choice(["own", "own", "own", "dealt", "grouped"])
    if structure == "dealt":
        drawn = _dealt(drawn, rng)
    elif structure == "grouped":
        drawn = _grouped(drawn, len(people), rng)
    drawn = _moved_in_time(_mixed(drawn, original.transactions, rng), rng)
    drawn = drawn.take(np.flatnonzero(rng.random(drawn.n_rows) >= rng.choice([0.0, 0.0, 0.3, 0.6])))
    master = _disguised(original.master, people, rng)
    return Release(PurchaseData(master, drawn), frozen(people.astype(np.int64)))


def sampled(original: PurchaseData, size: int, rng: np.random.Generator) -> PurchaseData:
    """Up to ``size`` random customers with all their rows, in an order that depends on content alone."""
    people = np.sort(rng.permutation(original.n_customers)[:size])
    master = original.master
    kept = Master(
        frozen(master.ids[people]),
        master.gender.take(people),
        master.birthday.take(people),
        master.country.take(people),
    )
    rows = _rows_of(original, people)
    keys = (rows.quantity, rows.price, rows.item.codes, rows.receipt.codes, rows.minute, rows.day)
    return PurchaseData(kept, rows.take(np.lexsort((*keys, rows.customer))))


def _rows_of(original: PurchaseData, people: Integers) -> Transactions:
    """The rows of some customers, who are renumbered."""
    rows = original.transactions
    place = np.full(original.n_customers, -1, dtype=np.int32)
    place[people] = np.arange(len(people), dtype=np.int32)
    kept = rows.take(np.flatnonzero(place[rows.customer] >= 0))
    return replace(kept, customer=frozen(place[kept.customer]))


def _mixed(drawn: Transactions, pool: Transactions, rng: np.random.Generator) -> Transactions:
    """Some rows take their item, price or quantity from a random row of T."""
    other = rng.integers(0, max(pool.n_rows, 1), drawn.n_rows)
    item, price, quantity = (rng.random(drawn.n_rows) < rng.choice([0.0, 0.3, 0.8]) for _ in range(3))
    texts = np.where(item, pool.item.texts()[other], drawn.item.texts())
    return replace(
        drawn,
        item=Coded.from_texts(texts),
        price=frozen(np.where(item | price, pool.price[other], drawn.price)),
        quantity=frozen(np.where(quantity, pool.quantity[other], drawn.quantity)),
    )


def _moved_in_time(drawn: Transactions, rng: np.random.Generator) -> Transactions:
    """Every receipt moves by some days, up to not at all, a week, or the whole year; and by some minutes."""
    reach = int(rng.choice([0, 0, 7, 200]))
    days = rng.integers(-reach, reach + 1, drawn.receipt.n_labels)
    minutes = rng.integers(0, 600, drawn.receipt.n_labels) if rng.random() < 0.5 else 0 * days
    return replace(
        drawn,
        day=frozen((drawn.day + days[drawn.receipt.codes]).astype(np.int32)),
        minute=frozen(((drawn.minute + minutes[drawn.receipt.codes]) % 1440).astype(np.int32)),
    )


def _dealt(drawn: Transactions, rng: np.random.Generator) -> Transactions:
    """Whole receipts change hands at random."""
    owner = np.zeros(drawn.receipt.n_labels, dtype=np.int32)
    owner[drawn.receipt.codes] = drawn.customer
    return replace(drawn, customer=frozen(rng.permutation(owner)[drawn.receipt.codes]))


def _grouped(drawn: Transactions, n_people: int, rng: np.random.Generator) -> Transactions:
    """In random groups, everybody gets the rows of one member, on days of their own."""
    group = rng.permutation(n_people) // CLUSTER
    centre = np.zeros(group.max(initial=0) + 1, dtype=np.int64)
    centre[group] = np.arange(n_people)
    of_customer = _rows_by_customer(drawn.customer, n_people)
    rows, customers, sources = [], [], []
    for person in range(n_people):
        copied = of_customer[centre[group[person]]]
        own = of_customer[person]
        if len(copied) and len(own):
            rows.append(copied)
            customers.append(np.full(len(copied), person))
            sources.append(own[rng.integers(0, len(own), len(copied))])
    if not rows:
        return drawn
    taken, source = drawn.take(np.concatenate(rows)), np.concatenate(sources)
    receipt = Coded.from_texts(drawn.receipt.texts()[source])
    customer = np.concatenate(customers).astype(np.int32)
    return replace(
        taken,
        customer=frozen(customer),
        receipt=receipt,
        day=frozen(drawn.day[source]),
        minute=frozen(drawn.minute[source]),
        quantity=frozen(drawn.quantity[source]),
    )


def _rows_by_customer(customer: np.ndarray, n_people: int) -> list[Integers]:
    order = np.argsort(customer, kind="stable")
    return np.split(order, np.cumsum(np.bincount(customer, minlength=n_people))[:-1])


def _disguised(master: Master, people: Integers, rng: np.random.Generator) -> Master:
    """Keep the attributes, deal them again, or blur the birthday to another day of its year."""
    source = people
    fate = rng.choice(["kept", "dealt", "blurred"])
    if fate == "dealt":
        source = rng.permutation(people)
    birthday = master.birthday.take(source)
    if fate == "blurred":
        years = [text.split("/")[0] for text in birthday.texts()]
        days = rng.integers(1, 13, len(years)), rng.integers(1, 29, len(years))
        birthday = Coded.from_texts([f"{y}/{m}/{d}" for y, m, d in zip(years, *days, strict=True)])
    names = np.array([f"p{row}" for row in range(len(people))], dtype=object)
    return Master(frozen(names), master.gender.take(source), birthday, master.country.take(source))
