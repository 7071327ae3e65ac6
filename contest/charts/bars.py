"""Bars: how often each of some classes occurs, once or before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from contest.charts.axes import LEFT, RIGHT, Frame, round_steps, tick_text
from contest.charts.chart import WIDTH, Chart, Rect, Shape, Style
from contest.files.spreadsheet import Cell

STYLES: tuple[Style, Style] = ("first", "second")
HEIGHT = 300.0
LETTER = 7.5
"""About the width of a letter: where names would touch, only every second or third is under the axis."""


@dataclass(frozen=True)
class Series:
    """One count per class, under a name."""

    name: str
    counts: Sequence[float]


def bars(
    name: str,
    title: str,
    summary: str,
    classes: Sequence[str],
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
) -> Chart:
    """Draw one or two series side by side over the classes."""
    frame = Frame(HEIGHT, x_label, y_label)
    steps = round_steps(max((count for one in series for count in one.counts), default=0))
    upwards = frame.upwards(0, steps[-1])
    room = (WIDTH - LEFT - RIGHT) / max(len(classes), 1)
    every = max(1, math.ceil((max(map(len, classes), default=1) + 1) * LETTER / room))
    named = [
        (round(LEFT + (place + 0.5) * room, 1), text)
        for place, text in enumerate(classes)
        if place % every == 0
    ]
    shapes: list[Shape] = frame.grid(named, [(upwards(step), tick_text(step)) for step in steps], rules=False)
    wide = 0.8 * room / len(series)
    for number, one in enumerate(series):
        for place, count in enumerate(one.counts):
            x, y = LEFT + (place + 0.1) * room + number * wide, upwards(count)
            note = f"{classes[place]}, {one.name}: {tick_text(count)}"
            shapes.append(
                Rect(round(x, 1), y, round(wide, 1), round(frame.bottom - y, 1), STYLES[number], note)
            )
    rows: list[tuple[Cell, ...]] = [
        (label, *(one.counts[place] for one in series)) for place, label in enumerate(classes)
    ]
    legend = [(STYLES[number], one.name) for number, one in enumerate(series)] if len(series) > 1 else []
    columns = (x_label, *(one.name for one in series))
    return Chart(name, title, summary, columns, rows, shapes, HEIGHT, legend)
