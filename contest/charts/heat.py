"""Heat maps: the darker a cell, the larger its number; the number is in the cell's note and in the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.charts.axes import tick_text
from contest.charts.chart import Chart, Rect, Shape, Words
from contest.files.spreadsheet import Cell

FAINTEST = 0.06
GAP = 2.0


@dataclass(frozen=True)
class Panel:
    """A grid of values with a heading; ``values[i][j]`` is row i from above."""

    heading: str
    values: Sequence[Sequence[float | None]]


def grid_shapes(
    panel: Panel, x: float, y: float, side: float, high: float, row_side: float | None = None
) -> list[Shape]:
    """The cells of a panel whose upper left corner is at (x, y)."""
    tall = row_side or side
    shapes: list[Shape] = []
    for i, row in enumerate(panel.values):
        for j, value in enumerate(row):
            left, top = round(x + j * side, 1), round(y + i * tall, 1)
            size = round(side - GAP, 1), round(tall - GAP, 1)
            if value is None:
                continue
            strength = FAINTEST + (1 - FAINTEST) * (value / high if high else 0.0)
            note = f"{panel.heading} {tick_text(value)}".strip()
            shapes.append(Rect(left, top, *size, "heat", note, round(strength, 2)))
    return shapes


def matrix_chart(
    name: str,
    title: str,
    summary: str,
    corner: str,
    row_names: Sequence[str],
    column_names: Sequence[str],
    values: Sequence[Sequence[float | None]],
) -> Chart:
    """A matrix of shares in percent with named rows and columns, the number written in every cell."""
    side = 230.0
    wide = max(26.0, min(60.0, (640.0 - side - 10) / max(len(column_names), 1)))
    width = max(640.0, side + wide * len(column_names) + 10)
    head, tall = 150.0, 24.0
    shapes: list[Shape] = grid_shapes(Panel("", values), side, head, wide, 100.0, tall)
    for i, text in enumerate(row_names):
        shapes.append(Words(side - 8, head + i * tall + 16, _short(text, 30), anchor="end"))
        for j, value in enumerate(values[i]):
            if value is not None:
                # A plate behind the number keeps it readable on the darkest cell.
                x, y = side + j * wide + (wide - GAP) / 2, head + i * tall
                shapes.append(Rect(round(x - 11, 1), y + 4, 22, 14, "plate"))
                shapes.append(Words(round(x, 1), y + 15.5, f"{value:.0f}", "value"))
    for j, text in enumerate(column_names):
        place = side + j * wide + wide / 2 + 4
        shapes.append(Words(round(place, 1), head - 8, _short(text, 20), anchor="start", upright=True))
    rows: list[tuple[Cell, ...]] = [(text, *values[i]) for i, text in enumerate(row_names)]
    height = head + tall * max(len(row_names), 1) + 10
    return Chart(name, title, summary, (corner, *column_names), rows, shapes, height, width=width)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
