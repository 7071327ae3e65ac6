"""How exposed the people of an original are: receipts as a panel, and the words for its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from games.shop.data.baskets import baskets
from games.shop.data.tables import PurchaseData
from games.shop.words import Said, Sentence, Share, all_marked, marked
from scoring.panel.risk_report import RiskReport, risk_report

ITEMS = 10
DAYS = 7
LEAD = Sentence(
    "If only the names were removed: %(share)s of the people could be identified from the week of their "
    "receipts and the units of %(items)s items."
)


@dataclass(frozen=True)
class PanelWords:
    """What the report says about the values that an intruder may know."""

    card: str
    about: str
    growth_title: str
    growth_summary: str
    known: str
    """What an intruder knows a number of, as the title of a column …"""
    known_axis: str
    """… and of an axis."""
    predictors: Mapping[str, str]
    """What the names of the predictors in the report mean."""

    def lead(self, share: float) -> Said:
        """How many of the people could be found."""
        return LEAD(share=Share(share), items=ITEMS)


RECEIPTS = PanelWords(
    card=marked("How many of these people a few purchases would give away, if only names were removed."),
    about=marked(
        "A quasi-identifier is the week of a receipt and its units of the items that most people bought. "
        "Somebody with a quasi-identifier of their own is unique. Remove the unique ones, and others become "
        "unique: that is snowballing."
    ),
    growth_title=marked("People who can be found, by number of items known"),
    growth_summary=marked(
        "Two lines over the number of items: those found by snowballing, and below them those unique at "
        "first sight. The table below holds the same numbers."
    ),
    known=marked("items"),
    known_axis=marked("items known"),
    predictors=all_marked(
        {
            "intercept": "intercept",
            "mean units a record": "mean units per receipt",
            "brands ever bought": "top items ever bought",
            "total spend": "total spend",
        }
    ),
)
PANELS = {"2016": RECEIPTS}
"""Only data with receipts, items and units can be read as a panel, by the name of their format."""


def panel_report(original: PurchaseData) -> RiskReport:
    """The report on an original of a format that has a panel: weeks of receipts, units of the top items."""
    basket = baskets(original, ITEMS, DAYS)
    table = basket.table.assign(spent=basket.spent / 100)
    names = original.transactions.item.labels[basket.items].tolist()
    renamed = {f"item{j}": f"item {name}" for j, name in enumerate(names)}
    return risk_report(table.rename(columns=renamed), "customer", list(renamed.values()), "period", "spent")
