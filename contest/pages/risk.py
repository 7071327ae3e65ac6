"""How exposed the people of a round's data are, as numbers that a page draws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from contest.charts.chart import Chart
from contest.charts.lines import share_lines
from contest.models import Dataset
from contest.services.datasets import load_files, load_original
from datasets import tables
from datasets.baskets import baskets
from scoring.panel.risk_report import RiskReport, risk_report

ITEMS = 10
DAYS = 7
SHOWN_ITERATIONS = 12
PREDICTORS = {
    "intercept": gettext_lazy("intercept"),
    "mean units a record": gettext_lazy("mean units per receipt"),
    "brands ever bought": gettext_lazy("top items ever bought"),
    "total spend": gettext_lazy("total spend"),
}


def has_report(dataset: Dataset) -> bool:
    """Only data with receipts, items and units can be read as a panel."""
    return isinstance(load_original(dataset), tables.PurchaseData)


def report_of(dataset: Dataset) -> RiskReport:
    return _report(dataset.format, tuple(dataset.files.items()))


@lru_cache(maxsize=16)
def _report(format: str, files: tuple[tuple[str, str], ...]) -> RiskReport:
    """The report on published files, which never change: computed once per process."""
    data = load_files(format, True, files)
    basket = baskets(data, ITEMS, DAYS)
    table = basket.table.assign(spent=basket.spent / 100)
    names = data.transactions.item.labels[basket.items].tolist()
    renamed = {f"item{j}": f"item {name}" for j, name in enumerate(names)}
    return risk_report(table.rename(columns=renamed), "customer", list(renamed.values()), "period", "spent")


def risk_context(report: RiskReport) -> dict[str, Any]:
    """What the page shows of a report."""
    people = len(report.risk)
    iterations = report.by_iteration()
    return {
        "growth": report.growth,
        "chart": growth_chart(report),
        "at_risk": len(report.found) / people if people else 0.0,
        "people": people,
        "bars": _bars(report.histogram()),
        "iterations": iterations[:SHOWN_ITERATIONS],
        "further": len(iterations) - len(iterations[:SHOWN_ITERATIONS]),
        "model": [row | {"title": PREDICTORS[row["name"]]} for row in report.model.rows()]
        if report.model
        else [],
    }


def growth_chart(report: RiskReport) -> Chart:
    """Shares of people over the number of items that an intruder looks at."""
    return share_lines(
        "growth-chart",
        _("People who can be found, by number of items known"),
        _(
            "Two lines over the number of items: those found by snowballing, and below them those unique at "
            "first sight. The table below holds the same numbers."
        ),
        [line["brands"] for line in report.growth],
        [
            (_("found by snowballing"), [line["sno_unicity"] for line in report.growth]),
            (_("unique at first sight"), [line["unicity"] for line in report.growth]),
        ],
        x_label=_("items known"),
        y_label=_("people, %"),
    )


def _bars(counts: list[int]) -> list[dict[str, Any]]:
    """Twenty bins joined into ten, which a phone can show."""
    joined = [counts[i] + counts[i + 1] for i in range(0, len(counts), 2)]
    top = max(joined, default=0) or 1
    return [
        {"label": f"{i / 10:.1f}–{(i + 1) / 10:.1f}", "count": count, "height": 100 * count / top}
        for i, count in enumerate(joined)
    ]
