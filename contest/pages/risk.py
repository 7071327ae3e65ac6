"""How exposed the people of a round's data are, as numbers that a page draws."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _

from contest.charts.chart import Chart
from contest.charts.lines import share_lines
from contest.language.translation import say
from contest.models import Dataset
from contest.services.datasets import load_files
from games.formats.panel import PANELS, PanelWords, panel_report
from scoring.panel.risk_report import RiskReport

SHOWN_ITERATIONS = 12


def words_of(dataset: Dataset) -> PanelWords | None:
    """What the report on a data set says; None for data that cannot be read as a panel."""
    return PANELS.get(dataset.format)


def report_of(dataset: Dataset) -> RiskReport:
    return _report(dataset.format, tuple(dataset.files.items()))


@lru_cache(maxsize=16)
def _report(format: str, files: tuple[tuple[str, str], ...]) -> RiskReport:
    """The report on published files, which never change: computed once per process."""
    return panel_report(load_files(format, True, files))


def risk_context(report: RiskReport, words: PanelWords) -> dict[str, Any]:
    """What the page shows of a report."""
    people = len(report.risk)
    iterations = report.by_iteration()
    return {
        "words": words,
        "lead": words.lead(len(report.found) / people if people else 0.0),
        "growth": report.growth,
        "chart": growth_chart(report, words),
        "people": people,
        "bars": _bars(report.histogram()),
        "iterations": iterations[:SHOWN_ITERATIONS],
        "further": len(iterations) - len(iterations[:SHOWN_ITERATIONS]),
        "model": [row | {"title": words.predictors[row["name"]]} for row in report.model.rows()]
        if report.model
        else [],
    }


def growth_chart(report: RiskReport, words: PanelWords) -> Chart:
    """Shares of people over the number of values that an intruder looks at."""
    return share_lines(
        "growth-chart",
        say(words.growth_title),
        say(words.growth_summary),
        [line["brands"] for line in report.growth],
        [
            (_("found by snowballing"), [line["sno_unicity"] for line in report.growth]),
            (_("unique at first sight"), [line["unicity"] for line in report.growth]),
        ],
        x_label=say(words.known_axis),
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
