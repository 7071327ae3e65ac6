"""How exposed the people of a round's data are, as numbers that a page draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from contest.charts.board_map import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Tick
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
    "mean units a record": gettext_lazy("mean units a receipt"),
    "brands ever bought": gettext_lazy("top items ever bought"),
    "total spend": gettext_lazy("total spend"),
}


@dataclass(frozen=True)
class Curve:
    """A line of the chart: its corners as SVG wants them, and a mark at each."""

    title: str
    kind: str
    points: str
    marks: list[tuple[float, float, str]]


@dataclass(frozen=True)
class GrowthChart:
    """Shares of people over the number of items that an intruder looks at."""

    curves: list[Curve]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def has_report(dataset: Dataset) -> bool:
    """Only data with receipts, items and units can be read as a panel."""
    return isinstance(load_original(dataset), tables.Dataset)


def report_of(dataset: Dataset) -> RiskReport:
    return _report(dataset.format, tuple(dataset.files.items()))


@lru_cache(maxsize=16)
def _report(format: str, files: tuple[tuple[str, str], ...]) -> RiskReport:
    """The report on published files, which never change: worked out once a process."""
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


def growth_chart(report: RiskReport) -> GrowthChart:
    lines = report.growth
    across = {
        line["brands"]: round(LEFT + (WIDTH - LEFT - RIGHT) * (i + 0.5) / len(lines), 1)
        for i, line in enumerate(lines)
    }

    def curve(title: str, kind: str, name: str) -> Curve:
        marks = [(across[line["brands"]], _height(line[name]), f"{line[name]:.1%}") for line in lines]
        return Curve(title, kind, " ".join(f"{x},{y}" for x, y, _label in marks), marks)

    return GrowthChart(
        curves=[
            curve(_("found by snowballing"), "snowballed", "sno_unicity"),
            curve(_("unique at first sight"), "unique", "unicity"),
        ],
        x_ticks=[Tick(x, str(count)) for count, x in across.items()],
        y_ticks=[Tick(_height(share / 100), f"{share}") for share in range(0, 101, 20)],
    )


def _height(share: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share), 1)


def _bars(counts: list[int]) -> list[dict[str, Any]]:
    """Twenty bins joined into ten, which a phone can show."""
    joined = [counts[i] + counts[i + 1] for i in range(0, len(counts), 2)]
    top = max(joined, default=0) or 1
    return [
        {"label": f"{i / 10:.1f}–{(i + 1) / 10:.1f}", "count": count, "height": 100 * count / top}
        for i, count in enumerate(joined)
    ]
