"""What one cell may hold: one function per kind, from the text to its value, or a `BadCell` that says why."""

from __future__ import annotations

import re
from collections.abc import Callable

from datasets.messages import Message, Template

QUANTITY = re.compile(r"[0-9]{1,6}")
BAD_QUANTITY = Template("bad-quantity", "a natural number up to 6 digits")


class BadCell(Exception):
    """A text that its cell may not hold."""

    def __init__(self, expected: Message) -> None:
        super().__init__(expected)
        self.expected = expected


Parse = Callable[[str], object]


def quantity(text: str) -> int:
    """
    >>> quantity("12")
    12
    """
    number = quantity_or_nothing(text)
    if number == 0:
        raise BadCell(BAD_QUANTITY())
    return number


def quantity_or_nothing(text: str) -> int:
    """A number of pieces; 0 is legal."""
    if not QUANTITY.fullmatch(text):
        raise BadCell(BAD_QUANTITY())
    return int(text)
