"""Strips: one line per measure, every entry a point at the share of the limit that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from contest.charts.axes import RIGHT, Scale
from contest.charts.chart import WIDTH, Chart, Dot, Polyline, Shape, Style, Words
from contest.files.spreadsheet import Cell
from scoring.rules import Limit

SIDE, ROW, HEAD = 200.0, 46.0, 20.0


@dataclass(frozen=True)
class Mark:
    """An entry on all strips: its values in the order of the measures."""

    label: str
    values: Sequence[float | None]
    is_mine: bool = False
    is_house: bool = False

    @property
    def style(self) -> Style:
        return "mine" if self.is_mine else "house" if self.is_house else "first"


@dataclass(frozen=True)
class Strip:
    """A measure with its limit; ``best`` is its best value, where higher is better."""

    title: str
    limit: Limit
    best: float | None = None

    def used(self, value: float) -> float:
        """How much of the limit a value uses, in percent."""
        return 100 * self.limit.share_used(value, self.best)


def strips(name: str, title: str, measures: Sequence[Strip], marks: Sequence[Mark]) -> Chart:
    """One line per measure; a point at 100 % uses all of the limit."""
    across = Scale(0, 100, SIDE, WIDTH - RIGHT - 10)
    height = HEAD + ROW * len(measures) + 48
    bottom = height - 48
    shapes: list[Shape] = []
    for share in range(0, 101, 25):
        shapes.append(Polyline([(across(share), HEAD - 8), (across(share), bottom)], "grid"))
        shapes.append(Words(across(share), bottom + 17, str(share)))
    shapes.append(Polyline([(across(100), HEAD - 8), (across(100), bottom)], "limit"))
    shapes.append(Words((SIDE + WIDTH - RIGHT) / 2, height - 8, _("Used of the limit, %"), "label"))
    for place, strip in enumerate(measures):
        y = HEAD + ROW * (place + 0.5)
        shapes.append(Polyline([(SIDE, y), (across(100), y)], "axis"))
        shapes.append(Words(SIDE - 12, y + 4.5, _short(strip.title), "label", "end"))
        for mark in sorted(marks, key=lambda mark: mark.is_mine):
            value = mark.values[place]
            if value is not None:
                note = f"{mark.label}: {value:.4g} / {strip.limit.limit:.4g}"
                shapes.append(Dot(across(strip.used(value)), y, mark.style, note, 8 if mark.is_mine else 6))
    rows: list[tuple[Cell, ...]] = [(mark.label, *mark.values) for mark in marks]
    columns = (_("Team"), *(f"{it.title} ({it.limit.sign} {it.limit.limit:,.10g})" for it in measures))
    legend: list[tuple[Style, str]] = [("first", _("a team’s entry")), ("limit", _("the limit"))]
    if any(mark.is_mine for mark in marks):
        legend.append(("mine", _("your team")))
    if any(mark.is_house for mark in marks):
        legend.append(("house", _("a house entry, for comparison")))
    return Chart(name, title, _summary(measures, marks), columns, rows, shapes, height, legend)


def _summary(measures: Sequence[Strip], marks: Sequence[Mark]) -> str:
    parts = []
    for place, strip in enumerate(measures):
        shares = sorted(strip.used(v) for mark in marks if (v := mark.values[place]) is not None)
        if shares:
            parts.append(
                _("%(measure)s: the median entry uses %(median)s %% of the limit, the largest %(most)s %%")
                % {
                    "measure": strip.title,
                    "median": f"{shares[len(shares) // 2]:.0f}",
                    "most": f"{shares[-1]:.0f}",
                }
            )
    return ("; ".join(parts) + ".") if parts else _("There is no entry to show yet.")


def _short(text: str) -> str:
    return text if len(text) <= 26 else f"{text[:25]}…"
