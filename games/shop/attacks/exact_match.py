"""S1 to S6 of 2017: exact match on the named columns, one row per attack."""

from __future__ import annotations

from functools import partial

import numpy as np

from attacks.attack import HouseAttack
from games.shop.data.pwscup2017 import Sheet
from games.shop.formats import Original2017
from games.shop.months import MonthsGuess, exact_matches

COLUMNS = {
    "S1": ("day", "quantity"),
    "S2": ("item2", "price"),
    "S3": ("item2", "quantity"),
    "S4": ("day", "item2"),
    "S5": ("item2", "price", "quantity"),
    "S6": ("item2", "day", "quantity"),
}
"""The columns that must agree; ``item2`` is the item's first two characters."""
TITLES = {"day": "date", "item2": "item", "price": "price", "quantity": "quantity"}
DOCUMENTATION = """Take a row of S for a known row of T where {columns} agree.

The attacker knows Tα, a part of T with item ids cut to two characters. The last row of S with a key gives
the key's pseudonym, the last row of Tα sets the guess for its customer and month, the rest is ``DEL``. A
customer is found only if all twelve months are right. The attack is made with each of T25, T50, T75 and
T100, and its share of people found is the mean of the four:

    {label} = mean over α of |{{customers whose twelve guesses are all right}}| / customers.

S is in the platform's canonical order; in 2017 the order of its rows changed the result.

Reference: Organisers of PWSCUP 2017, sample attack {label}."""


def exact_match(
    original: Original2017, released: Sheet, rng: np.random.Generator, *, columns: tuple[str, ...]
) -> MonthsGuess:
    """Take a row of S for a known row of T where the columns agree; nothing is drawn by chance."""
    return exact_matches(original, released, columns)


def listed(texts: list[str]) -> str:
    """Texts as a sentence lists them.

    >>> listed(["item", "price", "quantity"])
    'item, price and quantity'
    """
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def _attack(label: str, columns: tuple[str, ...]) -> HouseAttack:
    titles = [TITLES[column] for column in columns]
    named = listed(titles)
    known = ["the first two characters of the item" if it == "item" else f"the {it}" for it in titles]
    function = partial(exact_match, columns=columns)
    function.__doc__ = DOCUMENTATION.format(label=label, columns=listed(known))
    return HouseAttack(
        name=label.lower(),
        title=f"Match on {named}",
        meaning=f"A known row and a released row that agree in {named} are taken to be the same.",
        exploits=f"Few rows of a month share {named}.",
        cost="One pass over the rows.",
        function=function,
        reference=f"Organisers of PWSCUP 2017, sample attack {label}",
        version=1,
    )


EXACT_MATCHES = tuple(_attack(label, columns) for label, columns in COLUMNS.items())
