"""Maps: every entry a point between two numbers, the front of those that nobody beats, and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from contest.charts.axes import LEFT, RIGHT, TOP, Frame, Scale, round_range, round_steps, tick_text
from contest.charts.chart import WIDTH, Chart, Dot, Polyline, Shape, Style, thousands
from contest.charts.name_places import Wanted, place_names

HEIGHT = 380.0
NAMED = 5
"""How many of the best teams have their names at their points."""
MANY = 300
"""From here on points overlap anyway, so their places are whole numbers, which halves their bytes."""
FAR = 5
"""A limit beyond this many times the largest value is not drawn."""

Better = Literal["higher", "lower", ""]


@dataclass(frozen=True)
class Spot:
    """An entry on the map: both numbers as measured. ``rank`` is its place where it has one."""

    label: str
    x: float
    y: float
    is_mine: bool = False
    is_house: bool = False
    address: str = ""
    rank: int | None = None

    @property
    def style(self) -> Style:
        return "mine" if self.is_mine else "house" if self.is_house else "team"


@dataclass(frozen=True)
class Axis:
    """What an axis measures. ``high`` is its end where that is known beforehand."""

    label: str
    better: Better = "higher"
    high: float | None = None
    limit: float | None = None
    unit: str = ""

    def near(self, values: Sequence[float]) -> Axis:
        """Without a limit so far away that it would press all points together."""
        most = max(values, default=0.0)
        return replace(self, limit=None) if self.limit is not None and self.limit > FAR * most > 0 else self

    def steps(self, values: Sequence[float]) -> list[float]:
        if self.high == 100:
            return [float(step) for step in range(0, 101, 20)]
        low = min(values, default=0.0)
        high = self.high if self.high is not None else max([*values, self.limit or 0.0], default=1.0)
        return round_steps(high) if low >= 0 else round_range(low, high)

    def shown(self, value: float, briefly: bool = False) -> str:
        if self.unit == "%":
            return f"{value:.0f} %" if briefly else f"{value:.1f} %"
        return tick_text(float(f"{value:.2g}" if briefly else f"{value:.3g}"))


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
    x = Axis(x_label, "higher" if higher_is_better else "lower", high, limit)
    return entry_map(name, title, spots, x, safety_axis(y_label))


def safety_axis(label: str = "") -> Axis:
    return Axis(label or _("Safety, % of people not found"), "higher", 100, unit="%")


def entry_map(name: str, title: str, spots: Sequence[Spot], x: Axis, y: Axis) -> Chart:
    """One point per entry between any two numbers."""
    x, y = x.near([spot.x for spot in spots]), y.near([spot.y for spot in spots])
    frame = Frame(HEIGHT, x.label, y.label)
    x_steps, y_steps = x.steps([spot.x for spot in spots]), y.steps([spot.y for spot in spots])
    across, upwards = frame.across(x_steps[0], x_steps[-1]), frame.upwards(y_steps[0], y_steps[-1])
    shapes: list[Shape] = frame.grid(
        [(across(step), tick_text(step)) for step in x_steps],
        [(upwards(step), tick_text(step)) for step in y_steps],
    )
    front = front_of(spots, x.better, y.better) if x.better and y.better else []
    if len(front) > 1:
        shapes.append(Polyline([(across(spot.x), upwards(spot.y)) for spot in front], "front"))
    shapes += _limits(frame, x, y, across, upwards)
    shapes += _dots(spots, x, y, across, upwards)
    on_front = {id(spot) for spot in front}
    yes, no = _("yes"), _("no")
    rows = [(spot.label, spot.x, spot.y, yes if id(spot) in on_front else no) for spot in spots]
    columns = (_("Team"), x.label, y.label, _("On the front"))
    summary = _summary(spots, front, y)
    legend = _legend(spots, x, y)
    return Chart(name, title, summary, columns, rows, shapes, HEIGHT, legend, legend_dots=True)


def _limits(frame: Frame, x: Axis, y: Axis, across: Scale, upwards: Scale) -> list[Shape]:
    found: list[Shape] = []
    if x.limit is not None:
        found.append(Polyline([(across(x.limit), TOP), (across(x.limit), frame.bottom)], "limit"))
    if y.limit is not None:
        found.append(Polyline([(LEFT, upwards(y.limit)), (WIDTH - RIGHT, upwards(y.limit))], "limit"))
    return found


def _dots(spots: Sequence[Spot], x: Axis, y: Axis, across: Scale, upwards: Scale) -> list[Shape]:
    """The points, the own one above the others, and the names of the own one and of the best teams."""
    are_many = len(spots) > MANY
    digits = None if are_many else 1
    places = [(round(across(spot.x), digits), round(upwards(spot.y), digits)) for spot in spots]
    radii = [8 if spot.is_mine else 6 for spot in spots]
    # Of many points neighbours stand together, which makes the page smaller.
    nearby = places if are_many else [(0.0, 0.0)] * len(spots)
    order = sorted(range(len(spots)), key=lambda number: (spots[number].is_mine, nearby[number]))
    shapes: list[Shape] = []
    for number in order:
        spot = spots[number]
        note = f"{spot.label}: {x.shown(spot.x, are_many)}, {y.shown(spot.y, are_many)}"
        shapes.append(Dot(*places[number], spot.style, note, radii[number], spot.address))
    wanted = [Wanted(*places[number], radii[number], spots[number].label) for number in _named(spots)]
    return [*shapes, *place_names(wanted, places, (LEFT, 0, WIDTH, HEIGHT - 40))]


def _named(spots: Sequence[Spot]) -> list[int]:
    """Whose names are shown: one's own, then those of the best places."""
    mine = [number for number, spot in enumerate(spots) if spot.is_mine]
    ranked = [(spot.rank, number) for number, spot in enumerate(spots) if spot.rank and not spot.is_mine]
    return mine + [number for _rank, number in sorted(ranked)[:NAMED]]


def _legend(spots: Sequence[Spot], x: Axis, y: Axis) -> list[tuple[Style, str]]:
    legend: list[tuple[Style, str]] = [("team", _("a team’s entry"))]
    if x.better and y.better:
        legend.append(("front", _("nobody is better in both")))
    if x.limit is not None or y.limit is not None:
        legend.append(("limit", _("the limit")))
    if any(spot.is_mine for spot in spots):
        legend.append(("mine", _("your team")))
    if any(spot.is_house for spot in spots):
        legend.append(("house", _("a house entry, for comparison")))
    return legend


def pareto_front(spots: Sequence[Spot], *, higher_is_better: bool) -> list[Spot]:
    """The front where ``y`` is better when it is higher.

    >>> spots = [Spot("a", 50, 50), Spot("b", 40, 40), Spot("c", 30, 80), Spot("d", 50, 30)]
    >>> [spot.label for spot in pareto_front(spots, higher_is_better=True)]
    ['a', 'c']
    >>> [spot.label for spot in pareto_front(spots, higher_is_better=False)]
    ['c']
    """
    return front_of(spots, "higher" if higher_is_better else "lower", "higher")


def front_of(spots: Sequence[Spot], x: Better, y: Better) -> list[Spot]:
    """The spots that no other beats in both, the best ``x`` first; of equal ones the first.

    >>> spots = [Spot("a", 50, 50), Spot("b", 40, 40), Spot("c", 30, 80), Spot("d", 50, 30)]
    >>> [spot.label for spot in front_of(spots, "lower", "lower")]
    ['c', 'b', 'd']
    """
    x_sign, y_sign = (-1 if better == "higher" else 1 for better in (x, y))
    front: list[Spot] = []
    for spot in sorted(spots, key=lambda spot: (x_sign * spot.x, y_sign * spot.y)):
        if not front or y_sign * spot.y < y_sign * front[-1].y:
            front.append(spot)
    return front


def _summary(spots: Sequence[Spot], front: Sequence[Spot], y: Axis) -> str:
    if not spots:
        return _("There is no entry to show yet.")
    names = ", ".join(spot.label for spot in front[:10])
    if y.unit != "%":
        return ngettext(
            "%(n)s entry. Nobody is better in both than: %(front)s.",
            "%(n)s entries. Nobody is better in both than: %(front)s.",
            len(spots),
        ) % {**thousands(n=len(spots)), "front": names or "–"}
    safest = max(spots, key=lambda spot: spot.y)
    return ngettext(
        "%(n)s entry, safety upwards. The safest is %(safest)s with %(safety)s %%. "
        "Nobody is better in both than: %(front)s.",
        "%(n)s entries, safety upwards. The safest is %(safest)s with %(safety)s %%. "
        "Nobody is better in both than: %(front)s.",
        len(spots),
    ) % {
        **thousands(n=len(spots)),
        "safest": safest.label,
        "safety": f"{safest.y:.1f}",
        "front": names,
    }
