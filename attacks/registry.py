"""All house attacks, in the order in which pages and tables show them."""

from __future__ import annotations

from attacks.algorithms.re_itemset import RE_ITEMSET
from attacks.attack import Guess, HouseAttack, seeded
from datasets.tables import Dataset

ATTACKS: tuple[HouseAttack, ...] = (RE_ITEMSET,)


def attack(name: str) -> HouseAttack:
    """The house attack of this name.

    >>> attack("re-itemset").title
    'Nearest item set'
    """
    for known in ATTACKS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in ATTACKS)
    raise KeyError(f"There is no house attack {name!r}. Expected one of: {names}.")


def run_attack(name: str, original: Dataset, released: Dataset, seed: int) -> Guess:
    """Run a house attack; the same seed gives the same guess on every machine."""
    return attack(name).function(original, released, seeded(seed))
