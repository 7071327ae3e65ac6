"""S5 of 2017: exact match on item, price and quantity."""

from __future__ import annotations

import numpy as np

from attacks.attack import HouseAttack
from attacks.months import MonthsGuess, exact_matches
from datasets.formats import Original2017
from datasets.pwscup2017 import Sheet


def s5(original: Original2017, released: Sheet, rng: np.random.Generator) -> MonthsGuess:
    """Take a row of S for a known row of T where the first two characters of the item, the price and the
    quantity agree.

    The attacker knows Tα, a part of T with item ids cut to two characters. The last row of S with a key gives
    the key's pseudonym, the last row of Tα sets the guess for its customer and month, the rest is ``DEL``. A
    customer is found only if all twelve months are right. The attack is made with each of T25, T50, T75 and
    T100, and its share of people found is the mean of the four:

        S5 = mean over α of |{customers whose twelve guesses are all right}| / customers.

    S is in the platform's canonical order; in 2017 the order of its rows changed the result.

    Reference: Organisers of PWSCUP 2017, sample attack S5.
    """
    return exact_matches(original, released, ("item2", "price", "quantity"))


S5 = HouseAttack(
    name="s5",
    title="Match on item, price and quantity",
    meaning="A known row and a released row that agree in item, price and quantity are taken for the same.",
    exploits="Few rows of a month share item, price and quantity.",
    cost="One pass over the rows.",
    function=s5,
    reference="Organisers of PWSCUP 2017, sample attack S5",
    version=1,
)
