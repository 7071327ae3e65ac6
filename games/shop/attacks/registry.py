"""All house attacks, in the order in which pages and tables show them."""

from __future__ import annotations

from typing import Any

from attacks.attack import HouseAttack, seeded
from datasets.lookup import find_by_name
from games.shop.attacks.exact_match import EXACT_MATCHES
from games.shop.attacks.re_cells import RE_CELLS
from games.shop.attacks.re_counts import RE_COUNTS
from games.shop.attacks.re_dates import RE_DATES
from games.shop.attacks.re_ensemble import RE_ENSEMBLE
from games.shop.attacks.re_itemset import RE_ITEMSET
from games.shop.attacks.re_itemset_match import RE_ITEMSET_MATCH
from games.shop.attacks.re_itemset_rare import RE_ITEMSET_RARE
from games.shop.attacks.re_logit import RE_LOGIT
from games.shop.attacks.re_master import RE_MASTER
from games.shop.attacks.re_months import RE_MONTHS
from games.shop.attacks.re_prices import RE_PRICES
from games.shop.attacks.re_quantities import RE_QUANTITIES
from games.shop.attacks.re_receipts import RE_RECEIPTS
from games.shop.attacks.re_refit import RE_REFIT
from games.shop.attacks.re_rfm import RE_RFM
from games.shop.attacks.re_sno import RE_SNO
from games.shop.attacks.re_totals import RE_TOTALS

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
    RE_REFIT,
)
"""Attacks on M′ and T′ of 2016."""

ATTACKS_2017: tuple[HouseAttack, ...] = (*EXACT_MATCHES, RE_MONTHS)
"""Attacks on S of 2017."""

ATTACKS_2018: tuple[HouseAttack, ...] = (RE_CELLS, RE_COUNTS)
"""Attacks on A of 2018."""

EVERY_ATTACK = ATTACKS + ATTACKS_2017 + ATTACKS_2018


def attack(name: str) -> HouseAttack:
    """The house attack of this name.

    >>> attack("re-itemset").title
    'Nearest item set'
    """
    return find_by_name(EVERY_ATTACK, name, "house attack")


def run_attack(name: str, original: Any, released: Any, seed: int) -> Any:
    """Run a house attack on the tables of its format; the same seed gives the same guess everywhere."""
    return attack(name).function(original, released, seeded(seed))
