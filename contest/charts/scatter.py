"""The utility–risk map: every entry a point, the front of those that nobody beats, and the limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.charts.axes import TOP, Frame, round_steps, tick_text
from contest.charts.chart import Chart, Dot, Polyline, Shape, Style, thousands

HEIGHT = 380.0


@dataclass(frozen=True)
class Spot:
    """An entry on the map: ``x`` as measured, ``safety`` in percent."""

    label: str
    x: float
    safety: float
    is_mine: bool = False
    is_house: bool = False
    address: str = ""

    @property
    def style(self) -> Style:
        return "mine" if self.is_mine else "house" if self.is_house else "team"


def risk_map(
    name: str,
    title: str,
    spots: Sequence[Spot],
    *,
    x_label: str,
    y_label: str = "",
    higher_is_better: bool,
    high: float | None = None,
    limit: float | None = None,
) -> Chart:
    """Safety upwards over a measure; the front runs along the entries that no other beats in both."""
    y_label = y_label or _("Safety, % of people not found")
    frame = Frame(HEIGHT, x_label, y_label)
    top = high if high is not None else max([spot.x for spot in spots] + [limit or 0.0])
    steps = round_steps(top)
    across, upwards = frame.across(0, steps[-1]), frame.upwards(0, 100)
    shapes: list[Shape] = frame.grid(
        [(across(step), tick_text(step)) for step in steps],
        [(upwards(step), str(step)) for step in range(0, 101, 20)],
    )
    front = pareto_front(spots, higher_is_better=higher_is_better)
    legend: list[tuple[Style, str]] = [("team", _("a team’s entry"))]
    if len(front) > 1:
        shapes.append(Polyline([(across(spot.x), upwards(spot.safety)) for spot in front], "front"))
    legend.append(("front", _("nobody is better in both")))
    if limit is not None:
        shapes.append(Polyline([(across(limit), TOP), (across(limit), frame.bottom)], "limit"))
        legend.append(("limit", _("the limit")))
    for spot in sorted(spots, key=lambda spot: spot.is_mine):
        note = f"{spot.label}: {tick_text(float(f'{spot.x:.3g}'))}, {spot.safety:.1f} %"
        place, radius = (across(spot.x), upwards(spot.safety)), 8 if spot.is_mine else 6
        shapes.append(Dot(*place, spot.style, note, radius, spot.address))
    if any(spot.is_mine for spot in spots):
        legend.append(("mine", _("your team")))
    if any(spot.is_house for spot in spots):
        legend.append(("house", _("a house entry, for comparison")))
    on_front = {id(spot) for spot in front}
    yes, no = _("yes"), _("no")
    rows = [(spot.label, spot.x, spot.safety, yes if id(spot) in on_front else no) for spot in spots]
    columns = (_("Team"), x_label, y_label, _("On the front"))
    return Chart(name, title, _summary(spots, front), columns, rows, shapes, HEIGHT, legend, legend_dots=True)


def pareto_front(spots: Sequence[Spot], *, higher_is_better: bool) -> list[Spot]:
    """The spots that no other beats in both, best measure first; of equal ones the first.

    >>> spots = [Spot("a", 50, 50), Spot("b", 40, 40), Spot("c", 30, 80), Spot("d", 50, 30)]
    >>> [spot.label for spot in pareto_front(spots, higher_is_better=True)]
    ['a', 'c']
    >>> [spot.label for spot in pareto_front(spots, higher_is_better=False)]
    ['c']
    """
    sign = -1 if higher_is_better else 1
    front: list[Spot] = []
    for spot in sorted(spots, key=lambda spot: (sign * spot.x, -spot.safety)):
        if not front or spot.safety > front[-1].safety:
            front.append(spot)
    return front


def _summary(spots: Sequence[Spot], front: Sequence[Spot]) -> str:
    if not spots:
        return _("There is no entry to show yet.")
    safest = max(spots, key=lambda spot: spot.safety)
    return ngettext(
        "%(n)s entry, safety upwards. The safest is %(safest)s with %(safety)s %%. "
        "Nobody is better in both than: %(front)s.",
        "%(n)s entries, safety upwards. The safest is %(safest)s with %(safety)s %%. "
        "Nobody is better in both than: %(front)s.",
        len(spots),
    ) % {
        **thousands(n=len(spots)),
        "safest": safest.label,
        "safety": f"{safest.safety:.1f}",
        "front": ", ".join(spot.label for spot in front[:10]),
    }
