"""The guess of a house attack as a team would send it: what a file cannot say, such as ties, is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attacks.attack import Guess
from datasets.tables import NO_GUESS
from games.shop.answers import Answer
from games.shop.formats import find_format
from games.shop.months import MonthsGuess


def guess_file(format_name: str, guess: Any, original: Any, released: Any) -> bytes:
    """The file of a guess about the released tables of a format.

    >>> import numpy as np
    >>> guess_file("2016", Guess(np.array([2, NO_GUESS])), None, None)
    b'3\\n-\\n'
    """
    return "".join(line + "\n" for line in WRITERS[format_name](guess, original, released)).encode()


def _rows(guess: Guess, original: Any, released: Any) -> Iterator[str]:
    """Q of 2016: a row of M counted from 1, or ``-`` for no guess, one per line."""
    for row in guess.rows.tolist():
        yield "-" if row == NO_GUESS else str(row + 1)


def _months(guess: MonthsGuess, original: Any, released: Any) -> Iterator[str]:
    """F of 2017: a customer and twelve pseudonyms per line. Of several tables a file holds the first."""
    customers = find_format("2017").people_ids(original)
    for customer, row in zip(customers, guess.tables[0], strict=True):
        if all(cell is not None for cell in row):
            yield ",".join((str(customer), *map(str, row)))


def _claims(guess: Answer, original: Any, released: Any) -> Iterator[str]:
    """F of 2018: a customer and a pseudonym per line; whom the guess leaves out is not named."""
    customers, pseudonyms = find_format("2018").people_ids(original), released.id.labels
    for customer, place in zip(customers, guess.pseudonym.tolist(), strict=True):
        if place != NO_GUESS:
            yield f"{customer},{pseudonyms[place]}"


WRITERS: dict[str, Callable[[Any, Any, Any], Iterator[str]]] = {
    "2016": _rows,
    "2017": _months,
    "2018": _claims,
}
