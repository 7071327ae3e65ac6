"""Every measure that the platform knows: one line each."""

from __future__ import annotations

from scoring.measure import Measure
from scoring.utility.cmae import CMAE
from scoring.utility.rfm import RFM
from scoring.utility.subset import SUBSET
from scoring.utility.ut_jaccard import UT_JACCARD

MEASURES: tuple[Measure, ...] = (
    UT_JACCARD,
    CMAE,
    SUBSET,
    RFM,
)
"""Utility measures of M′ and T′."""


def measure(name: str) -> Measure:
    """The utility measure of that name; upper and lower case do not matter.

    >>> measure("UT-Jaccard").title
    'Item sets moved'
    """
    for candidate in MEASURES:
        if candidate.name == name.lower():
            return candidate
    known = ", ".join(candidate.name for candidate in MEASURES)
    raise KeyError(f"There is no measure {name!r}. Known measures: {known}.")
