"""S1 … S6 of 2017: the organisers' six sample attacks, and how many customers each re-identifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from datasets.pwscup2017 import DELETED, MONTHS, Sheet, TruthTable, month_of
from scoring.measure import Measurement

KEYS: Mapping[str, tuple[str, ...]] = {
    "s1": ("day", "quantity"),
    "s2": ("item2", "price"),
    "s3": ("item2", "quantity"),
    "s4": ("day", "item2"),
    "s5": ("item2", "price", "quantity"),
    "s6": ("item2", "day", "quantity"),
}
"""The columns on which each sample attack asks for an exact match; item2 is the first two characters."""


def reidentified_2017(published: Sheet, knowledge: Sheet, truth: TruthTable, attack: str) -> Measurement:
    """Share of customers whose pseudonyms of all twelve months a sample attack finds.

    The attacker knows Tα, a part of T with item ids cut to two characters, and the published S. The rows of S
    map a key (the columns of the attack, `KEYS`) to a pseudonym, the last row of S winning; every row of Tα
    whose key is mapped then sets the guess for its customer and month, the last row winning; the rest is
    ``DEL``. A customer counts only if all twelve months equal F:

        S_i = |{customers whose twelve guesses are all right}| / customers.

    Range 0 to 1, lower is better. The result depends on the order of the rows of S, as in 2017. The detail
    gives the share of right months.

    Reference: Organisers of PWSCUP 2017, sample attacks S1 to S6.
    """
    if attack not in KEYS:
        raise ValueError(f"The 'attack' parameter must be one of {', '.join(KEYS)}. Got {attack!r} instead.")
    columns = KEYS[attack]
    pseudonym_of = dict(zip(_keys(published, columns), published.user.texts(), strict=True))
    guess = np.full(truth.pseudonyms.shape, DELETED, dtype=object)
    row_of = {customer: row for row, customer in enumerate(truth.customers)}
    known = zip(_keys(knowledge, columns), knowledge.user.texts(), month_of(knowledge.day), strict=True)
    for (key, customer, month), deleted in zip(known, knowledge.deleted.tolist(), strict=True):
        if not deleted and key in pseudonym_of and customer in row_of:
            guess[row_of[customer], month] = pseudonym_of[key]
    right: npt.NDArray[np.bool_] = guess == truth.pseudonyms
    whole = np.asarray(right.all(axis=1))
    n = max(len(whole), 1)
    examples = [str(customer) for customer in truth.customers[whole][:10]]
    detail = {
        "attack": attack,
        "columns": list(columns),
        "customers": len(whole),
        "reidentified": int(whole.sum()),
        "right_months": int(right.sum()) / (n * MONTHS),
        "examples": examples,
    }
    return Measurement(int(whole.sum()) / n, detail)


def _keys(sheet: Sheet, columns: tuple[str, ...]) -> Iterable[tuple[object, ...]]:
    """The key of every row, in file order."""
    return zip(*(_column(sheet, name) for name in columns), strict=True)


def _column(sheet: Sheet, name: str) -> list[object]:
    if name == "item2":
        short = np.array([label[:2] for label in sheet.item.labels], dtype=object)
        return list(short[sheet.item.codes])
    return list(getattr(sheet, name).tolist())
