"""Lines: counts over days, before and after."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from contest.charts.axes import Frame, round_steps, tick_text
from contest.charts.bars import STYLES, Series
from contest.charts.chart import Chart, Line
from contest.spreadsheet import Cell

HEIGHT = 300.0
TICKS = 6


def day_lines(
    name: str,
    title: str,
    summary: str,
    days: Sequence[datetime.date],
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
) -> Chart:
    """Draw one line a series over the days, the first solid, the second dashed."""
    frame = Frame(HEIGHT, x_label, y_label)
    steps = round_steps(max((count for one in series for count in one.counts), default=0))
    upwards, across = frame.upwards(0, steps[-1]), frame.across(0, max(len(days) - 1, 1))
    every = max(1, -(-len(days) // TICKS))
    named = [(across(place), days[place].isoformat()) for place in range(every // 2, len(days), every)]
    shapes = frame.grid(named, [(upwards(step), tick_text(step)) for step in steps])
    for number, one in enumerate(series):
        points = [(across(place), upwards(count)) for place, count in enumerate(one.counts)]
        shapes.append(Line(points * 2 if len(points) == 1 else points, STYLES[number]))
    rows: list[tuple[Cell, ...]] = [
        (day.isoformat(), *(one.counts[place] for one in series)) for place, day in enumerate(days)
    ]
    legend = [(STYLES[number], one.name) for number, one in enumerate(series)]
    return Chart(name, title, summary, (x_label, *(one.name for one in series)), rows, shapes, HEIGHT, legend)
