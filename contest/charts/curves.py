"""Curves over a number: several lines or steps, with points that are marked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from contest.charts.axes import Frame, round_steps, tick_text
from contest.charts.chart import Chart, Dot, Polyline, Shape, Style
from contest.files.spreadsheet import Cell

HEIGHT = 360.0
STYLES: tuple[Style, ...] = ("first", "second", "front", "limit")
MARKS: tuple[Style, ...] = ("mine", "house", "team", "second")


@dataclass(frozen=True)
class Curve:
    """A line from the left to the right, or points that are marked, under a name."""

    name: str
    x: Sequence[float]
    y: Sequence[float]

    def at(self, place: float, *, steps: bool) -> float | None:
        """The height over a place; none before the curve begins and after it ends.

        >>> rising = Curve("a", [0, 1, 2], [0.0, 10.0, 30.0])
        >>> rising.at(1.5, steps=False), rising.at(1.5, steps=True), rising.at(3, steps=False)
        (20.0, 10.0, None)
        """
        after = bisect_right(self.x, place)
        if after == 0 or place > self.x[-1]:
            return None
        left, low = self.x[after - 1], self.y[after - 1]
        if steps or after == len(self.x):
            return low
        return low + (self.y[after] - low) * (place - left) / (self.x[after] - left)


def curves_chart(
    name: str,
    title: str,
    summary: str,
    curves: Sequence[Curve],
    points: Sequence[Curve],
    *,
    x_label: str,
    y_label: str,
    row_label: str,
    steps: bool = False,
) -> Chart:
    """Draw every curve, then the marked points over them."""
    frame = Frame(HEIGHT, x_label, y_label)
    everything = [*curves, *points]
    x_steps = ticks([x for one in everything for x in one.x])
    y_steps = ticks([y for one in everything for y in one.y])
    across, upwards = frame.across(x_steps[0], x_steps[-1]), frame.upwards(y_steps[0], y_steps[-1])
    shapes: list[Shape] = frame.grid(
        [(across(step), tick_text(step)) for step in x_steps],
        [(upwards(step), tick_text(step)) for step in y_steps],
    )
    for style, one in zip(STYLES, curves, strict=False):
        places = [(across(x), upwards(y)) for x, y in zip(one.x, one.y, strict=True)]
        shapes.append(Polyline(stepped(places) if steps else places * (1 + (len(places) == 1)), style))
    for style, one in zip(MARKS, points, strict=False):
        shapes += [
            Dot(across(x), upwards(y), style, f"{one.name}: {tick_text(x)}, {tick_text(y)}")
            for x, y in zip(one.x, one.y, strict=True)
        ]
    rows: list[tuple[Cell, ...]] = [
        (one.name, x, y) for one in [*points, *curves] for x, y in zip(one.x, one.y, strict=True)
    ]
    legend = [(style, one.name) for style, one in zip(STYLES, curves, strict=False)]
    legend += [(style, one.name) for style, one in zip(MARKS, points, strict=False)]
    return Chart(
        name, title, summary, (row_label, x_label, y_label), rows, shapes, HEIGHT, legend,
        legend_dots=True, legend_lines=STYLES[: len(curves)],
    )  # fmt: skip


def ticks(values: Sequence[float]) -> list[float]:
    """Round numbers around all values, with 0 among them.

    >>> ticks([0.2, 0.9]), ticks([-3, 4])
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-4.0, -2.0, 0.0, 2.0, 4.0])
    """
    above, below = max(0.0, *values), max(0.0, *(-value for value in values))
    steps = round_steps(above + below)
    step = steps[1]
    low, high = -round_up(below, step), round_up(above, step)
    return [round(place * step, 12) for place in range(low, max(high, low + 1) + 1)]


def round_up(value: float, step: float) -> int:
    """How many steps reach a value."""
    return int(-(-(value - 1e-9 * step) // step))


def stepped(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of a line that keeps its height until the next place.

    >>> stepped([(0, 5), (2, 3)])
    [(0, 5), (2, 5), (2, 3)]
    """
    corners = list(places[:1])
    for x, y in places[1:]:
        corners += [(x, corners[-1][1]), (x, y)]
    return corners
