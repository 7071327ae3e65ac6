"""Horizontal bars: one named value per line, the number written at the bar's end."""

from __future__ import annotations

from collections.abc import Sequence

from contest.charts.axes import RIGHT, Scale, round_steps, tick_text
from contest.charts.chart import WIDTH, Chart, Polyline, Rect, Shape, Words

SIDE, ROW, HEAD, FOOT, END = 170.0, 24.0, 10.0, 48.0, 52.0


def lying_bars(
    name: str,
    title: str,
    summary: str,
    values: Sequence[tuple[str, float]],
    *,
    x_label: str,
    y_label: str,
    high: float | None = None,
) -> Chart:
    """Draw the values in their order from above."""
    steps = round_steps(high or max((value for _label, value in values), default=0.0))
    across = Scale(0, steps[-1], SIDE, WIDTH - RIGHT - END)
    bottom = HEAD + ROW * max(len(values), 1)
    shapes: list[Shape] = []
    for step in steps:
        shapes.append(Polyline([(across(step), HEAD), (across(step), bottom)], "grid"))
        shapes.append(Words(across(step), bottom + 17, tick_text(step)))
    for place, (label, value) in enumerate(values):
        y = HEAD + ROW * place
        long = round(across(value) - SIDE, 1)
        shapes.append(Rect(SIDE, y + 4, long, ROW - 8, "first", f"{label}: {tick_text(value)}"))
        shapes.append(Words(SIDE - 8, y + 16.5, label, anchor="end"))
        shapes.append(Words(across(value) + 6, y + 16.5, f"{value:.4g}", "value", "start"))
    shapes.append(Polyline([(SIDE, HEAD), (SIDE, bottom)], "axis"))
    shapes.append(Words((SIDE + WIDTH - RIGHT - END) / 2, bottom + FOOT - 8, x_label, "label"))
    return Chart(name, title, summary, (y_label, x_label), list(values), shapes, bottom + FOOT)
