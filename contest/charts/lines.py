"""Lines: counts over days, before and after; shares over a number."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from contest.charts.axes import Frame, round_steps, tick_text
from contest.charts.bars import STYLES, Series
from contest.charts.chart import Chart, Dot, Polyline
from contest.files.spreadsheet import Cell

HEIGHT = 300.0
SHARES_HEIGHT = 360.0
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
    """Draw one line per series over the days, the first solid, the second dashed."""
    frame = Frame(HEIGHT, x_label, y_label)
    steps = round_steps(max((count for one in series for count in one.counts), default=0))
    upwards, across = frame.upwards(0, steps[-1]), frame.across(0, max(len(days) - 1, 1))
    every = max(1, -(-len(days) // TICKS))
    named = [(across(place), days[place].isoformat()) for place in range(every // 2, len(days), every)]
    shapes = frame.grid(named, [(upwards(step), tick_text(step)) for step in steps])
    for number, one in enumerate(series):
        points = [(across(place), upwards(count)) for place, count in enumerate(one.counts)]
        shapes.append(Polyline(points * 2 if len(points) == 1 else points, STYLES[number]))
    rows: list[tuple[Cell, ...]] = [
        (day.isoformat(), *(one.counts[place] for one in series)) for place, day in enumerate(days)
    ]
    legend = [(STYLES[number], one.name) for number, one in enumerate(series)]
    return Chart(name, title, summary, (x_label, *(one.name for one in series)), rows, shapes, HEIGHT, legend)


def share_lines(
    name: str,
    title: str,
    summary: str,
    places: Sequence[int],
    series: Sequence[tuple[str, Sequence[float]]],
    *,
    x_label: str,
    y_label: str,
) -> Chart:
    """Draw one line per series of shares from 0 to 1, with a dot at each place, in percent."""
    frame = Frame(SHARES_HEIGHT, x_label, y_label)
    across, upwards = frame.across(0, max(len(places), 1)), frame.upwards(0, 1)
    shapes = frame.grid(
        [(across(number + 0.5), str(place)) for number, place in enumerate(places)],
        [(upwards(share / 100), str(share)) for share in range(0, 101, 20)],
        rules=False,
    )
    for style, (words, shares) in zip(STYLES, series, strict=False):
        points = [(across(number + 0.5), upwards(share)) for number, share in enumerate(shares)]
        shapes.append(Polyline(points, style))
        shapes += [
            Dot(*point, style, f"{words}: {share:.1%}", 5)
            for point, share in zip(points, shares, strict=True)
        ]
    rows: list[tuple[Cell, ...]] = [
        (place, *(100 * shares[number] for _words, shares in series)) for number, place in enumerate(places)
    ]
    legend = [(style, words) for style, (words, _shares) in zip(STYLES, series, strict=False)]
    columns = (x_label, *(words for words, _shares in series))
    return Chart(name, title, summary, columns, rows, shapes, SHARES_HEIGHT, legend, legend_dots=True)
