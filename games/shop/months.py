"""The game of 2017: which pseudonym has a customer in each of the twelve months?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from games.shop.data.pwscup2017 import DELETED, MONTHS, Sheet, month_of
from games.shop.formats import Original2017

Pseudonyms = npt.NDArray[np.object_]
"""Row i holds customer i's pseudonyms from December to November, ``DEL`` where there is none."""


@dataclass(frozen=True, eq=False)
class MonthsGuess:
    """One table of pseudonyms for each knowledge with which the attack was made.

    A customer without a guess has None in every month, which is never right.
    """

    tables: tuple[Pseudonyms, ...]

    @property
    def n_claimed(self) -> int:
        """How many customers the attack says something about."""
        return max(sum(row[0] is not None for row in table) for table in self.tables)


def exact_matches(original: Original2017, released: Sheet, columns: tuple[str, ...]) -> MonthsGuess:
    """The organisers' way to attack, once with each knowledge file Tα.

    The rows of S map a key (the named columns; ``item2`` is the item's first two characters) to a pseudonym,
    the last row of S winning. Every row of Tα whose key is mapped sets the guess for its customer and month,
    the last row winning; the rest is ``DEL``.
    """
    pseudonym_of = dict(zip(_keys(released, columns), released.user.texts(), strict=True))
    customers = original.sheet.user.labels
    tables = (_matched(known, customers, pseudonym_of, columns) for known in original.knowledge.values())
    return MonthsGuess(tuple(tables))


def _matched(
    known: Sheet, customers: npt.NDArray[np.object_], pseudonym_of: dict, columns: tuple[str, ...]
) -> Pseudonyms:
    guess: Pseudonyms = np.full((len(customers), MONTHS), DELETED, dtype=object)
    row_of = {customer: row for row, customer in enumerate(customers)}
    rows = zip(_keys(known, columns), known.user.texts(), month_of(known.day).tolist(), strict=True)
    for (key, customer, month), deleted in zip(rows, known.deleted.tolist(), strict=True):
        if not deleted and key in pseudonym_of and customer in row_of:
            guess[row_of[customer], month] = pseudonym_of[key]
    return guess


def _keys(sheet: Sheet, columns: tuple[str, ...]) -> Iterable[tuple[object, ...]]:
    """The key of every row, in file order."""
    return zip(*(_column(sheet, name) for name in columns), strict=True)


def _column(sheet: Sheet, name: str) -> list[object]:
    if name == "item2":
        short = np.array([label[:2] for label in sheet.item.labels], dtype=object)
        return list(short[sheet.item.codes])
    return list(getattr(sheet, name).tolist())
