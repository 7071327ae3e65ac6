"""The columns of M, T and of their released forms: what each cell may hold, and under which rules."""

from __future__ import annotations

from collections.abc import Callable, Container

from datasets.cells import BadCell, Parse
from datasets.messages import Template
from datasets.reader import Column, ParseAll
from datasets.tables import date_text
from games.shop.data import cells
from games.shop.data.rules import FileRules
from games.shop.data.tables import PurchaseData

LONGEST_GENERALISED = 1000
ROW_COUNT = Template("row-count", "%(n)s rows, as T has")
UNKNOWN_COUNTRY = Template("unknown-country", "a country that M has")
UNKNOWN_ITEM = Template("unknown-item", "an item that T has")
REAL_ID = Template("real-id", "a pseudonym that is no customer_id of M")
DATE_OUT_OF_RANGE = Template("date-out-of-range", "a date from %(first)s to %(last)s")
BIRTHDAY_OUT_OF_RANGE = Template("date-out-of-range.birthday", "a birthday from %(first)s to %(last)s")


def master_columns(
    generalised: bool = False,
    identifier: Parse = cells.identifier,
    identifiers: ParseAll = cells.identifiers,
    birthday: Parse = cells.date,
    country: Parse = cells.country,
) -> tuple[Column, ...]:
    """The columns of M. All cells stay texts: nobody computes with a birthday, and M′ may generalise it."""
    kinds = (("gender", cells.gender), ("birthday", birthday), ("country", country))
    longest = LONGEST_GENERALISED if generalised else cells.LONGEST_COUNTRY
    return (
        Column("customer_id", cells.LONGEST_ID, identifier, identifiers),
        *(Column(name, longest, _as_text(parse, generalised)) for name, parse in kinds),
    )


def transaction_columns(
    customer: Parse, date: Parse = cells.date, item: Parse = cells.item, items: ParseAll = cells.items
) -> tuple[Column, ...]:
    """The columns of T; ``customer`` reads an id as its row of the master table."""
    return (
        Column("customer_id", cells.LONGEST_ID, customer),
        Column("receipt_id", cells.LONGEST_ID, cells.receipt, cells.identifiers),
        Column("date", cells.LONGEST_NUMBER, date),
        Column("time", cells.LONGEST_NUMBER, cells.time),
        Column("item_id", cells.LONGEST_ITEM, item, items),
        Column("unit_price", cells.LONGEST_NUMBER, cells.price),
        Column("quantity", cells.LONGEST_NUMBER, cells.quantity),
    )


def released_master_columns(original: PurchaseData, rules: FileRules) -> tuple[Column, ...]:
    """The columns of M′: pseudonyms, and values from the domain of M unless the rules open it."""
    master = original.master
    birthday: Parse = cells.date
    country: Parse = cells.country
    if not rules.foreign_dates:
        days = [cells.date(text) for text in master.birthday.labels]
        birthday = _between(min(days), max(days), BIRTHDAY_OUT_OF_RANGE)
    if not rules.foreign_countries:
        countries = frozenset(master.country.labels)
        country = _within(country, countries, BadCell(UNKNOWN_COUNTRY()))
    real = frozenset(master.ids)

    def pseudonyms(texts: list[str]) -> list[str] | None:
        return cells.identifiers(texts) if real.isdisjoint(texts) else None

    return master_columns(rules.generalised, _pseudonym(real), pseudonyms, birthday, country)


def released_transaction_columns(
    customer: Parse, original: PurchaseData, rules: FileRules
) -> tuple[Column, ...]:
    """The columns of T′: dates and items from the domain of T unless the rules open it."""
    rows = original.transactions
    date: Parse = cells.date
    item: Parse = cells.item
    items: ParseAll = cells.items
    if not rules.foreign_dates:
        date = _between(int(rows.day.min()), int(rows.day.max()), DATE_OUT_OF_RANGE)
    if not rules.foreign_items:
        domain = frozenset(rows.item.labels)
        item = _within(item, domain, BadCell(UNKNOWN_ITEM()))

        def items(texts: list[str]) -> list[str] | None:
            return texts if domain.issuperset(texts) else None

    return transaction_columns(customer, date, item, items)


def _pseudonym(real: Container[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        name = cells.identifier(text)
        if name in real:
            raise BadCell(REAL_ID())
        return name

    return parse


def _as_text(parse: Parse, general: bool) -> Callable[[str], str]:
    def checked(text: str) -> str:
        if general:
            return cells.generalised(text, parse)
        parse(text)
        return text

    return checked


def _within(parse: Parse, legal: Container[object], fault: BadCell) -> Parse:
    def checked(text: str) -> object:
        value = parse(text)
        if value not in legal:
            raise fault
        return value

    return checked


def _between(first: int, last: int, expected: Template) -> Parse:
    fault = BadCell(expected(first=date_text(first), last=date_text(last)))
    return _within(cells.date, range(first, last + 1), fault)
