"""The map of a board: each entry a point with a link, between any two numbers that the board shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from contest.board.board_view import BoardView
from contest.board.queries import BoardRow, MeasureCell
from contest.charts.chart import Chart
from contest.charts.scatter import Axis, Spot, entry_map, risk_map, safety_axis
from contest.charts.svg import inline

USUAL = ("utility", "safety")
"""The axes of a map for which nobody asks."""


@dataclass(frozen=True)
class Choice:
    """A number that an axis may show: its name in addresses, its title, and the axis."""

    name: str
    title: str
    axis: Axis


@dataclass(frozen=True)
class DrawnMap:
    """A map as a page shows it. ``query`` asks for the same axes; ``is_usual`` where nobody asked for any."""

    chart: Chart
    svg: SafeString
    query: str
    is_usual: bool


def utility_map(rows: Sequence[BoardRow]) -> Chart:
    """The limits are at the left end of the score, where nothing of them is left."""
    return risk_map(
        "map",
        _("Utility and safety of all entries"),
        [spot_of(row, row.utility, row.safety) for row in rows if row.safety is not None],
        x_label=_("Utility, out of 100"),
        higher_is_better=True,
        high=100,
    )


def spot_of(row: BoardRow, x: float, y: float) -> Spot:
    rank = row.rank if row.takes_place else None
    return Spot(row.team_name, x, y, row.is_mine, row.is_house, row.entry_url, rank)


def axis_names(measures: Sequence[MeasureCell]) -> list[str]:
    """What the axes of a round's map may show."""
    return [*USUAL, "total", "found", *(cell.name for cell in measures)]


def axis_choices(measures: Sequence[MeasureCell], *, lower_wins: bool) -> list[Choice]:
    """The same with titles in the visitor's language."""
    choices = [
        Choice("utility", _("Utility"), Axis(_("Utility, out of 100"), "higher", 100)),
        Choice("safety", _("Safety"), safety_axis()),
        Choice("total", _("Total"), Axis(_("Total"), "lower" if lower_wins else "higher")),
        Choice("found", _("Found"), Axis(_("People found (lower is better)"), "lower")),
    ]
    for cell in measures:
        title = _(cell.title)
        unit = f", {_(cell.unit)}" if cell.unit else ""
        label = measure_label(title, unit, cell)
        choices.append(Choice(cell.name, title, Axis(label, cell.better, limit=cell.limit)))
    return choices


def measure_label(title: str, unit: str, cell: MeasureCell) -> str:
    """The label of an axis that shows a measure."""
    if cell.better == "higher":
        return _("%(measure)s%(unit)s (higher is better)") % {"measure": title, "unit": unit}
    return _("%(measure)s%(unit)s (lower is better)") % {"measure": title, "unit": unit}


def value_of(row: BoardRow, name: str) -> float | None:
    """A number of a row by the name that addresses use; nothing where the board does not show it."""
    numbers = {"utility": row.utility, "safety": row.safety, "total": row.total, "found": row.hits}
    if name in numbers:
        return numbers[name]
    return next((cell.value for cell in row.measures if cell.name == name), None)


def chosen_map(
    rows: Sequence[BoardRow], measures: Sequence[MeasureCell], view: BoardView, *, lower_wins: bool
) -> Chart:
    """The map between the two numbers that a view asks for; the usual one where it asks for none."""
    if not view.x and not view.y:
        return utility_map(rows)
    choices = {choice.name: choice for choice in axis_choices(measures, lower_wins=lower_wins)}
    names = (view.x or USUAL[0], view.y or USUAL[1])
    spots = [
        spot_of(row, x, y)
        for row in rows
        if (x := value_of(row, names[0])) is not None and (y := value_of(row, names[1])) is not None
    ]
    return map_between(spots, choices, names)


def map_between(spots: Sequence[Spot], choices: Mapping[str, Choice], names: tuple[str, str]) -> Chart:
    x, y = (choices[name] for name in names)
    finite = [spot for spot in spots if math.isfinite(spot.x) and math.isfinite(spot.y)]
    title = _("%(across)s and %(upwards)s of all entries") % {"across": x.title, "upwards": y.title}
    return entry_map("map", title, finite, x.axis, y.axis)


def drawn(chart: Chart, view: BoardView) -> DrawnMap:
    query = BoardView(x=view.x, y=view.y, track=view.track).query().removesuffix("&")
    return DrawnMap(chart, inline(chart), query, not (view.x or view.y))
