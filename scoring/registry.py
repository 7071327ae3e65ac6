"""Every measure that the platform knows: one line each."""

from __future__ import annotations

from datasets.lookup import find_by_name
from scoring.measure import Measure, RiskMeasure
from scoring.risk.ane import ANE
from scoring.risk.balance_variance_ratio import BALANCE_VARIANCE_RATIO
from scoring.risk.g_balance import G_BALANCE
from scoring.risk.g_balance_change import G_BALANCE_CHANGE
from scoring.risk.gidr import GIDR
from scoring.risk.gsar import GSAR
from scoring.risk.h_affiliation import H_AFFILIATION
from scoring.risk.individual_risk import INDIVIDUAL_RISK
from scoring.risk.k_anonymity import K_ANONYMITY
from scoring.risk.l_diversity import L_DIVERSITY
from scoring.risk.lp import LP
from scoring.risk.panel_l_diversity import PANEL_L_DIVERSITY
from scoring.risk.person_k_anonymity import PERSON_K_ANONYMITY
from scoring.risk.sno_unicity import SNO_UNICITY
from scoring.risk.unicity import UNICITY
from scoring.utility.cmae import CMAE
from scoring.utility.date_shift import DATE_SHIFT
from scoring.utility.deleted_rows import DELETED_ROWS
from scoring.utility.e1 import E1
from scoring.utility.e2 import E2
from scoring.utility.e3a import E3A
from scoring.utility.e3b import E3B
from scoring.utility.e4 import E4
from scoring.utility.e5 import E5
from scoring.utility.e6 import E6
from scoring.utility.item_cosine import ITEM_COSINE
from scoring.utility.price_ratio import PRICE_RATIO
from scoring.utility.rfm import RFM
from scoring.utility.subset import SUBSET
from scoring.utility.top_items import TOP_ITEMS
from scoring.utility.ut_ham import UT_HAM
from scoring.utility.ut_il import UT_IL
from scoring.utility.ut_jaccard import UT_JACCARD
from scoring.utility.ut_rows import UT_ROWS

MEASURES: tuple[Measure, ...] = (
    UT_JACCARD,
    CMAE,
    SUBSET,
    RFM,
    UT_ROWS,
    DELETED_ROWS,
    UT_HAM,
    TOP_ITEMS,
    ITEM_COSINE,
    DATE_SHIFT,
    PRICE_RATIO,
)
"""Utility measures of M′ and T′."""


MEASURES_2017: tuple[Measure, ...] = (E1, E2, E3A, E3B, E4, E5, E6)
"""Utility measures of the sheets of 2017: ``function(T, A(T))`` on `datasets.pwscup2017.Sheet`."""

MEASURES_2018: tuple[Measure, ...] = (UT_IL,)
"""Utility measures of 2018: ``function(T, A)`` on `datasets.pwscup2018` tables."""

BY_FORMAT = {"2016": MEASURES, "2017": MEASURES_2017, "2018": MEASURES_2018}
"""The utility measures by contest format."""

RISKS: tuple[RiskMeasure, ...] = (
    UNICITY,
    SNO_UNICITY,
    INDIVIDUAL_RISK,
    PERSON_K_ANONYMITY,
    PANEL_L_DIVERSITY,
    K_ANONYMITY,
    L_DIVERSITY,
    G_BALANCE,
    G_BALANCE_CHANGE,
    BALANCE_VARIANCE_RATIO,
    H_AFFILIATION,
    GIDR,
    GSAR,
    ANE,
)
"""Risk measures of any table with an id column and quasi-identifier columns."""

PANEL_RISKS: tuple[RiskMeasure, ...] = (LP,)
"""Risk measures of a panel of stores or customers: ``function(table, id, (), response=…, price=…, …)``."""


def measures_of(format_name: str) -> tuple[Measure, ...]:
    """The utility measures of a contest format."""
    return BY_FORMAT[format_name]


def measure(name: str) -> Measure:
    """The utility measure of that name; upper and lower case do not matter.

    >>> measure("UT-Jaccard").title
    'Item sets moved'
    """
    return find_by_name(MEASURES + MEASURES_2017 + MEASURES_2018, plain_name(name), "measure")


def risk(name: str) -> RiskMeasure:
    """The risk measure of that name; upper and lower case, hyphen and underscore do not matter.

    >>> risk("sno_unicity").name
    'sno-unicity'
    """
    return find_by_name(RISKS + PANEL_RISKS, plain_name(name), "risk measure")


def plain_name(name: str) -> str:
    """A measure's name as it is registered: lower case, with hyphens."""
    return name.lower().replace("_", "-")
