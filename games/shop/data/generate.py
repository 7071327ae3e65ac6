"""Invented retail data that behaves like the contest's, of any size, and the same for a seed on any machine.

Receipts and lines per customer have long tails, days have seasons and weekdays, items are popular by Zipf's
law, and people have tastes: each likes two of the shop's themes and comes back to some favourites. The
figures are fitted to the T of PWSCUP 2016: 400 customers give about 38,000 lines, and the item set of a
customer is on average at Jaccard distance 0.84 from the nearest other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.tables import Coded, Codes, Integers, date_text, day_number, frozen
from datasets.writer import replacing
from games.shop.data.online_retail import invented_people
from games.shop.data.tables import Master, PurchaseData, Transactions, price_text, time_text
from games.shop.data.writer import as_bytes, join_rows, numbers_as_bytes, write_master

N_ITEMS, N_THEMES = 3000, 40
FIRST_DAY, LAST_DAY = day_number("2010/12/1"), day_number("2011/12/9")
FIRST_CUSTOMER = 12346
FIRST_RECEIPT = 536370
RECEIPTS_A_PIECE = 5000
"""Lines are made for this many receipts at a time, each piece from its own random stream."""

MONTH_WEIGHTS = (10, 8, 11, 9, 12, 13, 12, 13, 17, 22, 30, 16)
WEEKDAY_WEIGHTS = (54, 62, 73, 86, 72, 0, 34)
HOUR_WEIGHTS = (1, 6, 12, 20, 24, 30, 26, 24, 18, 9, 3, 1)
OPENS_AT = 8
QUANTITIES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 25, 36, 48, 50, 72, 96, 100, 144, 200, 288, 500, 1000)
QUANTITY_WEIGHTS = (150, 90, 50, 70, 30, 110, 50, 80, 190, 35, 25, 70, 20, 15, 20, 6, 8, 6, 6, 4, 2, 2, 1, 1)
SHARES = (25, 45)
"""Of 100 lines: bought again from the favourites, and bought by theme; the others by popularity alone."""
FAVOURITES = 60
HEAD = 3
"""Zipf: the item of rank r is bought in proportion to 1 / (r + HEAD)."""

COUNTRIES = (
    *("United Kingdom", "Germany", "France", "Spain", "Belgium", "Switzerland", "Portugal", "Italy"),
    *("Finland", "Austria", "Norway", "Netherlands", "Japan", "Sweden", "Poland", "Denmark", "Australia"),
    *("Cyprus", "USA", "Israel", "Greece", "Canada", "Bahrain", "Singapore", "Iceland", "Lebanon"),
    *("Lithuania", "Brazil", "RSA", "Malta"),
)
COUNTRY_WEIGHTS = np.array([400, *(400 // (rank + 3) for rank in range(len(COUNTRIES) - 1))])

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Shop:
    """What is sold. Items are sorted by id; ``ladder`` is their cumulated popularity, theme after theme."""

    item_ids: npt.NDArray[np.object_]
    price: Integers
    ladder: Integers
    item_of_step: Codes
    theme_start: Integers


@dataclass(frozen=True, eq=False)
class Plan:
    """Who comes when and buys how many lines: one element per receipt, in the order of time."""

    theme: npt.NDArray[np.int64]
    customer: Codes
    day: Codes
    minute: Codes
    n_lines: Codes

    @property
    def n_receipts(self) -> int:
        return len(self.customer)


def generate(n_customers: int, seed: int) -> PurchaseData:
    """M and T in memory.

    >>> generate(20, seed=1).n_customers
    20
    """
    master, shop, plan = _invent(n_customers, seed)
    pieces = list(_pieces(plan, shop, seed))
    receipt, item, price, quantity = (np.concatenate(column) for column in zip(*pieces, strict=True))
    labels = np.array([str(number) for number in _receipt_numbers(plan)], dtype=object)
    rows = Transactions(
        customer=frozen(plan.customer[receipt]),
        receipt=Coded.of(receipt, labels),
        day=frozen(plan.day[receipt]),
        minute=frozen(plan.minute[receipt]),
        item=Coded.of(item, shop.item_ids).take(np.arange(len(item))),
        price=frozen(price),
        quantity=frozen(quantity),
    )
    return PurchaseData(master, rows)


def generate_to_folder(folder: Path, n_customers: int, seed: int, progress: Progress | None = None) -> int:
    """Write the same M and T without ever holding T; return the number of its rows.

    Memory grows only with the receipts, by a few hundred bytes per customer.
    """
    master, shop, plan = _invent(n_customers, seed)
    folder.mkdir(parents=True, exist_ok=True)
    ids, items, numbers = as_bytes(master.ids), as_bytes(shop.item_ids), _receipt_numbers(plan)
    n_rows, done = 0, 0
    with replacing(folder / "T.csv") as file:
        for receipt, item, price, quantity in _pieces(plan, shop, seed):
            columns = [
                ids[plan.customer[receipt]],
                numbers_as_bytes(numbers[receipt], str),
                numbers_as_bytes(plan.day[receipt], date_text),
                numbers_as_bytes(plan.minute[receipt], time_text),
                items[item],
                numbers_as_bytes(price, price_text),
                numbers_as_bytes(quantity, str),
            ]
            file.write(join_rows(columns))
            n_rows += len(receipt)
            done = min(done + RECEIPTS_A_PIECE, plan.n_receipts)
            if progress is not None:
                progress(done, plan.n_receipts)
    with replacing(folder / "M.csv") as file:
        write_master(file, master)
    return n_rows


def _invent(n_customers: int, seed: int) -> tuple[Master, Shop, Plan]:
    if n_customers < 1:
        raise ValueError(f"The number of customers must be at least 1. Got {n_customers} instead.")
    if seed < 0:
        raise ValueError(f"The seed must be a natural number. Got {seed} instead.")
    # One stream per purpose: a change to one part leaves the others as they are.
    people, goods, visits = (np.random.default_rng([seed, part]) for part in range(3))
    return _master(n_customers, people), _shop(goods), _plan(n_customers, visits)


def _master(n_customers: int, rng: np.random.Generator) -> Master:
    gender, birthday = invented_people(n_customers, rng)
    country = np.array(COUNTRIES, dtype=object)[_draw(COUNTRY_WEIGHTS, n_customers, rng)]
    ids = np.array([str(FIRST_CUSTOMER + row) for row in range(n_customers)], dtype=object)
    return Master(
        ids=frozen(ids),
        gender=Coded.from_texts(gender.astype(object)),
        birthday=Coded.from_texts([date_text(day) for day in birthday.tolist()]),
        country=Coded.from_texts(country),
    )


def _shop(rng: np.random.Generator) -> Shop:
    numbers = np.sort(rng.choice(np.arange(10000, 90000), N_ITEMS, replace=False))
    variants = np.array(["", "", "", "", "", "", "", "", "A", "B"])[rng.integers(0, 10, N_ITEMS)]
    item_ids = np.array(
        [f"{number}{variant}" for number, variant in zip(numbers, variants, strict=True)], object
    )
    price = np.clip(np.rint(rng.lognormal(5.3, 0.9, N_ITEMS)).astype(np.int64), 4, 99_999)
    theme = rng.integers(0, N_THEMES, N_ITEMS)
    theme[:N_THEMES] = np.arange(N_THEMES)
    weight = 10**9 // (rng.permutation(N_ITEMS) + HEAD)
    step = np.argsort(theme, kind="stable")
    ladder = np.concatenate([[0], np.cumsum(weight[step])])
    edges = np.searchsorted(theme[step], np.arange(N_THEMES + 1))
    return Shop(item_ids, price, ladder, step.astype(np.int32), ladder[edges])


def _plan(n_customers: int, rng: np.random.Generator) -> Plan:
    theme = rng.integers(0, N_THEMES, (n_customers, 2))
    appetite = rng.lognormal(0.0, 0.5, n_customers)
    visits = 1 + np.minimum(rng.lognormal(0.6, 1.2, n_customers), 250).astype(np.int64)
    customer = np.repeat(np.arange(n_customers, dtype=np.int32), visits)
    n_receipts = len(customer)
    day = (FIRST_DAY + _draw(_day_weights(), n_receipts, rng)).astype(np.int32)
    hour = OPENS_AT + _draw(np.array(HOUR_WEIGHTS), n_receipts, rng)
    minute = (60 * hour + rng.integers(0, 60, n_receipts)).astype(np.int32)
    size = appetite[customer] * rng.lognormal(2.6, 0.85, n_receipts)
    n_lines = (1 + np.minimum(size, 300)).astype(np.int32)
    order = np.lexsort((customer, minute, day))
    return Plan(theme, *(column[order] for column in (customer, day, minute, n_lines)))


def _day_weights() -> Integers:
    """How busy each day is: the weeks before Christmas most, Saturdays closed."""
    days = np.datetime64("1970-01-01") + np.arange(FIRST_DAY, LAST_DAY + 1).astype("timedelta64[D]")
    month = days.astype("datetime64[M]").astype(np.int64) % 12
    weekday = (np.arange(FIRST_DAY, LAST_DAY + 1) + 3) % 7
    return np.array(MONTH_WEIGHTS)[month] * np.array(WEEKDAY_WEIGHTS)[weekday]


def _receipt_numbers(plan: Plan) -> Integers:
    """Consecutive numbers of one width, so that their order as texts is the order of time."""
    first = FIRST_RECEIPT
    while len(str(first)) < len(str(first + plan.n_receipts)):
        first = 10 ** len(str(first))
    return first + np.arange(plan.n_receipts, dtype=np.int64)


def _pieces(plan: Plan, shop: Shop, seed: int) -> Iterator[tuple[Integers, Codes, Integers, Integers]]:
    """Receipt, item, price and quantity of the lines, some receipts at a time."""
    for number, first in enumerate(range(0, plan.n_receipts, RECEIPTS_A_PIECE)):
        rng = np.random.default_rng([seed, 3, number])
        chosen = np.arange(first, min(first + RECEIPTS_A_PIECE, plan.n_receipts))
        receipt = np.repeat(chosen, plan.n_lines[chosen])
        item = _items(plan, shop, plan.customer[receipt], rng)
        # A few lines are sold at a tenth off, so one item has more than one price, as in real shops.
        discount = rng.integers(0, 100, len(receipt)) < 4
        price = np.maximum(1, shop.price[item] * np.where(discount, 9, 10) // 10)
        quantity = np.array(QUANTITIES)[_draw(np.array(QUANTITY_WEIGHTS), len(receipt), rng)]
        yield receipt, item, price, quantity


def _items(plan: Plan, shop: Shop, customer: Codes, rng: np.random.Generator) -> Codes:
    n, total = len(customer), int(shop.ladder[-1])
    manner = rng.integers(0, 100, n)
    theme = plan.theme[customer, rng.integers(0, 2, n)]
    place = rng.integers(0, total, n)
    by_theme = rng.integers(shop.theme_start[theme], shop.theme_start[theme + 1])
    # The lesser of two draws: the first favourites are the most bought.
    favourite = np.minimum(rng.integers(0, FAVOURITES, n), rng.integers(0, FAVOURITES, n))
    place = np.where(manner < SHARES[0] + SHARES[1], by_theme, place)
    place = np.where(manner < SHARES[0], _mixed(customer, favourite) % total, place)
    return shop.item_of_step[np.searchsorted(shop.ladder, place, side="right") - 1]


def _mixed(customer: Codes, favourite: Integers) -> Integers:
    """A number that looks random and depends on nothing but its arguments (the mixer of splitmix64)."""
    word = customer.astype(np.uint64) * np.uint64(FAVOURITES) + favourite.astype(np.uint64)
    word = (word + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((word ^ (word >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)


def _draw(weights: npt.NDArray, n: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Indices drawn by whole-number weights, so that no rounding can differ between machines."""
    ladder = np.cumsum(weights)
    return np.searchsorted(ladder, rng.integers(0, ladder[-1], n), side="right")
