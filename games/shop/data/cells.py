"""What one cell may hold: one function per kind, from the text to its value, or a `BadCell` that says why.

The limits are those of the 2017 contest's questions and answers, which the platform adopted for all years.
"""

from __future__ import annotations

import datetime
import re
from functools import cache, partial

from datasets.cells import BAD_QUANTITY as BAD_QUANTITY
from datasets.cells import BadCell, Parse
from datasets.cells import quantity as quantity
from datasets.cells import quantity_or_nothing as quantity_or_nothing
from datasets.messages import Message, Template
from datasets.tables import EPOCH

LONGEST_ID = 50


LONGEST_ITEM = 9


LONGEST_COUNTRY = 50


LONGEST_NUMBER = 20
"""Cells of numbers, dates and times are cut off here: a longer one cannot be legal."""


DATE = re.compile(r"([0-9]{4})/([1-9][0-9]?)/([1-9][0-9]?)")


TIME = re.compile(r"(0|[1-9]|1[0-9]|2[0-3]):([0-5][0-9])")


PRICE = re.compile(r"([0-9]{1,5})(?:\.([0-9]{1,2}))?")


ROW = re.compile(r"[0-9]{1,10}")


IDENTIFIER = re.compile(r"[A-Za-z0-9_-]+")


A_NAME = "1 to %(n)s letters A-Z a-z, digits, '_' or '-'"


BAD_ID = Template("bad-id", A_NAME)


BAD_ITEM = Template("bad-item", A_NAME)


BAD_RECEIPT = Template("bad-receipt", A_NAME)


BAD_GENDER = Template("bad-gender", "f or m")


BAD_COUNTRY = Template("bad-country", "the name of a country, without quotes or surrounding blanks")


BAD_DATE = Template("bad-date", "a date that exists, as YYYY/M/D without leading zeros")


BAD_TIME = Template("bad-time", "a time from 0:00 to 23:59, as H:MM")


BAD_PRICE = Template("bad-price", "a positive price with up to 5 digits before and 2 after the point")


BAD_INTERVAL = Template("bad-interval", "an interval of two dates as [a;b] with a not after b")


BAD_SET = Template("bad-set", "a set of different values as {a;b}")


BAD_ROW_NUMBER = Template("bad-row-number", "the number of a row of M, counted from 1")


def identifier(text: str, bad: Template = BAD_ID, longest: int = LONGEST_ID) -> str:
    """
    >>> identifier("A-17_b")
    'A-17_b'
    """
    if len(text) > longest or not IDENTIFIER.fullmatch(text):
        raise BadCell(_a_name(bad, longest))
    return text


@cache
def _a_name(bad: Template, longest: int) -> Message:
    return bad(n=longest)


def identifiers(texts: list[str], longest: int = LONGEST_ID) -> list[str] | None:
    """Many ids at once; None where one is bad."""
    good = IDENTIFIER.fullmatch("".join(texts)) and all(texts) and max(map(len, texts)) <= longest
    return texts if good else None


item = partial(identifier, bad=BAD_ITEM, longest=LONGEST_ITEM)


items = partial(identifiers, longest=LONGEST_ITEM)


receipt = partial(identifier, bad=BAD_RECEIPT)


def gender(text: str) -> str:
    if text not in ("f", "m"):
        raise BadCell(BAD_GENDER())
    return text


def country(text: str) -> str:
    """Any name that can be printed; which ones are legal is a matter of the domain."""
    if not text or not text.isprintable() or text != text.strip() or set(text) & set('"*[]{};'):
        raise BadCell(BAD_COUNTRY())
    return text


def date(text: str) -> int:
    """Days since 1970-01-01.

    >>> date("2010/12/1")
    14944
    """
    match = DATE.fullmatch(text)
    if not match:
        raise BadCell(BAD_DATE())
    try:
        return (datetime.date(int(match[1]), int(match[2]), int(match[3])) - EPOCH).days
    except ValueError:
        raise BadCell(BAD_DATE()) from None


def time(text: str) -> int:
    """Minutes since midnight."""
    match = TIME.fullmatch(text)
    if not match:
        raise BadCell(BAD_TIME())
    return int(match[1]) * 60 + int(match[2])


def price(text: str) -> int:
    """Hundredths.

    >>> price("3.75"), price("8.5"), price("10")
    (375, 850, 1000)
    """
    hundredths = price_or_nothing(text)
    if hundredths == 0:
        raise BadCell(BAD_PRICE())
    return hundredths


def price_or_nothing(text: str) -> int:
    """Hundredths; 0 is legal, as it was in 2017."""
    match = PRICE.fullmatch(text)
    if not match:
        raise BadCell(BAD_PRICE())
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))


def generalised(text: str, parse: Parse) -> str:
    """A value, ``*``, an interval ``[a;b]`` of ordered values or a set ``{a;b}``, as text.

    >>> generalised("{f;m}", gender), generalised("[1950/1/1;1959/12/31]", date)
    ('{f;m}', '[1950/1/1;1959/12/31]')
    """
    parts = text[1:-1].split(";")
    if text[:1] == "[" and text[-1:] == "]":
        values = [parse(part) for part in parts]
        if len(values) != 2 or not all(isinstance(value, int) for value in values) or values[0] > values[1]:  # type: ignore[operator]
            raise BadCell(BAD_INTERVAL())
    elif text[:1] == "{" and text[-1:] == "}":
        if len({parse(part) for part in parts}) < len(parts):
            raise BadCell(BAD_SET())
    elif text != "*":
        parse(text)
    return text


def row_number(text: str) -> int:
    """A 1-based row number of M, as the 0-based one that the tables use."""
    if not ROW.fullmatch(text) or int(text) == 0:
        raise BadCell(BAD_ROW_NUMBER())
    return int(text) - 1
