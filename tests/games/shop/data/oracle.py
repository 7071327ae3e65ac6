"""Whether an entry is legal, decided slowly: plain Python, written from the text of the rules alone."""

from __future__ import annotations

import datetime
import re

MASTER_HEADER = "customer_id,gender,birthday,country"
TRANSACTION_HEADER = "customer_id,receipt_id,date,time,item_id,unit_price,quantity"


def lines_of(raw: bytes, header: str) -> list[list[str]] | None:
    """The rows of a file, or None where it is no table."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text or "\r" in text or "\0" in text:
        return None
    lines = text.removesuffix("\n").split("\n")
    if lines[0] == header:
        lines = lines[1:]
    if not lines:
        return None
    rows = [line.split(",") for line in lines]
    return rows if all(len(row) == header.count(",") + 1 for row in rows) else None


def a_day(text: str) -> datetime.date | None:
    if not re.fullmatch(r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}", text) or "/0" in text:
        return None
    try:
        return datetime.date(*map(int, text.split("/")))
    except ValueError:
        return None


def an_id(text: str, longest: int = 50) -> bool:
    return re.fullmatch("[A-Za-z0-9_-]+", text) is not None and len(text) <= longest


def legal(entry: dict[str, bytes], master: bytes, transactions: bytes) -> bool:
    """The rules of 2016: nobody dropped, domains closed, rows of T′ free in number."""
    real = lines_of(master, MASTER_HEADER) or []
    sales = lines_of(transactions, TRANSACTION_HEADER) or []
    people = lines_of(entry["M.csv"], MASTER_HEADER)
    rows = lines_of(entry["T.csv"], TRANSACTION_HEADER)
    truth = lines_of(entry["P.csv"], "row")
    if people is None or rows is None or truth is None:
        return False
    return (
        _legal_people(people, real)
        and _legal_rows(rows, sales, {row[0] for row in people})
        and all(re.fullmatch(r"[0-9]{1,10}", row[0]) for row in truth)
        and sorted(int(row[0]) for row in truth) == list(range(1, len(real) + 1))
    )


def _legal_people(people: list[list[str]], real: list[list[str]]) -> bool:
    ids = [row[0] for row in people]
    birthdays = [day for row in real if (day := a_day(row[2]))]
    return (
        len(people) == len(real)
        and len(set(ids)) == len(ids)
        and not set(ids) & {row[0] for row in real}
        and all(
            an_id(row[0])
            and row[1] in ("f", "m")
            and (day := a_day(row[2])) is not None
            and min(birthdays) <= day <= max(birthdays)
            and row[3] in {other[3] for other in real}
            for row in people
        )
    )


def _legal_rows(rows: list[list[str]], sales: list[list[str]], pseudonyms: set[str]) -> bool:
    days = [day for row in sales if (day := a_day(row[2]))]
    items = {row[4] for row in sales}
    return all(
        row[0] in pseudonyms
        and an_id(row[1])
        and (day := a_day(row[2])) is not None
        and min(days) <= day <= max(days)
        and re.fullmatch(r"([0-9]|1[0-9]|2[0-3]):[0-5][0-9]", row[3])
        and row[4] in items
        and re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,2})?", row[5])
        and float(row[5]) > 0
        and re.fullmatch(r"[0-9]{1,6}", row[6])
        and int(row[6]) > 0
        for row in rows
    )
