"""All house attacks, in the order in which pages and tables show them."""

from __future__ import annotations

from attacks.algorithms.re_dates import RE_DATES
from attacks.algorithms.re_ensemble import RE_ENSEMBLE
from attacks.algorithms.re_itemset import RE_ITEMSET
from attacks.algorithms.re_itemset_match import RE_ITEMSET_MATCH
from attacks.algorithms.re_itemset_rare import RE_ITEMSET_RARE
from attacks.algorithms.re_logit import RE_LOGIT
from attacks.algorithms.re_master import RE_MASTER
from attacks.algorithms.re_prices import RE_PRICES
from attacks.algorithms.re_quantities import RE_QUANTITIES
from attacks.algorithms.re_receipts import RE_RECEIPTS
from attacks.algorithms.re_rfm import RE_RFM
from attacks.algorithms.re_sno import RE_SNO
from attacks.algorithms.re_totals import RE_TOTALS
from attacks.attack import Guess, HouseAttack, seeded
from datasets.tables import Dataset

ATTACKS: tuple[HouseAttack, ...] = (
    RE_ITEMSET,
    RE_ITEMSET_MATCH,
    RE_ITEMSET_RARE,
    RE_DATES,
    RE_RECEIPTS,
    RE_QUANTITIES,
    RE_PRICES,
    RE_MASTER,
    RE_TOTALS,
    RE_RFM,
    RE_SNO,
    RE_LOGIT,
    RE_ENSEMBLE,
)


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
