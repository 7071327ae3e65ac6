"""Every measure that the platform knows: one line each."""

from __future__ import annotations

from datasets.lookup import find_by_name
from scoring.measure import RiskMeasure
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
"""Risk measures of a panel of stores or people: ``function(table, id, (), response=…, price=…, …)``."""


def risk(name: str) -> RiskMeasure:
    """The risk measure of that name; upper and lower case, hyphen and underscore do not matter.

    >>> risk("sno_unicity").name
    'sno-unicity'
    """
    return find_by_name(RISKS + PANEL_RISKS, plain_name(name), "risk measure")


def plain_name(name: str) -> str:
    """A measure's name as it is registered: lower case, with hyphens."""
    return name.lower().replace("_", "-")
