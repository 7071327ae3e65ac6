"""Every utility measure of the shops: one line each."""

from __future__ import annotations

from datasets.lookup import find_by_name
from games.shop.measures.cmae import CMAE
from games.shop.measures.date_shift import DATE_SHIFT
from games.shop.measures.deleted_rows import DELETED_ROWS
from games.shop.measures.e1 import E1
from games.shop.measures.e2 import E2
from games.shop.measures.e3a import E3A
from games.shop.measures.e3b import E3B
from games.shop.measures.e4 import E4
from games.shop.measures.e5 import E5
from games.shop.measures.e6 import E6
from games.shop.measures.item_cosine import ITEM_COSINE
from games.shop.measures.price_ratio import PRICE_RATIO
from games.shop.measures.rfm import RFM
from games.shop.measures.subset import SUBSET
from games.shop.measures.top_items import TOP_ITEMS
from games.shop.measures.ut_ham import UT_HAM
from games.shop.measures.ut_il import UT_IL
from games.shop.measures.ut_jaccard import UT_JACCARD
from games.shop.measures.ut_rows import UT_ROWS
from scoring.measure import Measure
from scoring.registry import plain_name

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
"""Utility measures of the sheets of 2017: ``function(T, A(T))`` on `games.shop.data.pwscup2017.Sheet`."""


MEASURES_2018: tuple[Measure, ...] = (UT_IL,)
"""Utility measures of 2018: ``function(T, A)`` on `games.shop.data.pwscup2018` tables."""


EVERY_MEASURE = MEASURES + MEASURES_2017 + MEASURES_2018

BY_FORMAT = {"2016": MEASURES, "2017": MEASURES_2017, "2018": MEASURES_2018}
"""The utility measures by contest format."""


def measures_of(format_name: str) -> tuple[Measure, ...]:
    """The utility measures of a contest format."""
    return BY_FORMAT[format_name]


def measure(name: str) -> Measure:
    """The utility measure of that name; upper and lower case do not matter.

    >>> measure("UT-Jaccard").title
    'Item sets moved'
    """
    return find_by_name(MEASURES + MEASURES_2017 + MEASURES_2018, plain_name(name), "measure")
