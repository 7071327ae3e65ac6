"""Matrices with named rows and columns, one or two: blue above zero, red below, the stronger the larger."""

from __future__ import annotations

from collections.abc import Sequence

from contest.charts.axes import tick_text
from contest.charts.chart import WIDTH, Chart, Rect, Shape, Words
from contest.charts.heat import FAINTEST, GAP, Panel
from contest.files.spreadsheet import Cell

MARGIN, HEAD, SPACE = 150.0, 130.0, 16.0
BESIDE = 14
"""Two matrices with more columns stand one below the other."""
LARGEST_SIDE = 34.0
LETTERS, LETTERS_ABOVE = 20, 16


def panels_chart(
    name: str,
    title: str,
    summary: str,
    corner: tuple[str, str],
    rows: Sequence[str],
    columns: Sequence[str],
    panels: Sequence[Panel],
) -> Chart:
    """Draw one or two matrices in one scale; ``corner`` says what rows and columns are."""
    beside = len(panels) if len(columns) <= BESIDE else 1
    side = min(LARGEST_SIDE, (WIDTH - MARGIN - SPACE * beside) / (beside * len(columns)))
    tall = max(side, 16.0)
    numbers = [abs(value) for panel in panels for row in panel.values for value in row if value is not None]
    high = max(numbers, default=0.0)
    shapes: list[Shape] = []
    block = HEAD + tall * len(rows) + SPACE
    for number, panel in enumerate(panels):
        x = MARGIN + (number % beside) * (side * len(columns) + SPACE)
        y = (number // beside) * block + HEAD
        shapes.append(Words(round(x, 1), y - HEAD + 16, panel.heading, "label", "start"))
        for j, text in enumerate(columns):
            place = round(x + (j + 0.5) * side + 4, 1)
            shapes.append(Words(place, y - 6, _short(text, LETTERS_ABOVE), anchor="start", upright=True))
        if number % beside == 0:
            for i, text in enumerate(rows):
                place = round(y + (i + 0.5) * tall + 4, 1)
                shapes.append(Words(MARGIN - 8, place, _short(text, LETTERS), anchor="end"))
        shapes += _cells(panel, rows, columns, (x, y), (side, tall), high)
    table: list[tuple[Cell, ...]] = [
        (row, column, *(panel.values[i][j] for panel in panels))
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]
    heads = (*corner, *(panel.heading for panel in panels))
    return Chart(name, title, summary, heads, table, shapes, block * -(-len(panels) // beside))


def _cells(
    panel: Panel, rows: Sequence[str], columns: Sequence[str], corner: tuple[float, float],
    size: tuple[float, float], high: float,
) -> list[Shape]:  # fmt: skip
    (x, y), (side, tall) = corner, size
    gap = min(GAP, side / 4)
    shapes: list[Shape] = []
    for i, row in enumerate(panel.values):
        for j, value in enumerate(row):
            if value is None:
                continue
            strength = FAINTEST + (1 - FAINTEST) * (abs(value) / high if high else 0.0)
            note = f"{rows[i]}, {columns[j]}, {panel.heading}: {tick_text(float(f'{value:.4g}'))}"
            place = round(x + j * side, 1), round(y + i * tall, 1), round(side - gap, 1), round(tall - gap, 1)
            shapes.append(Rect(*place, "cold" if value < 0 else "heat", note, round(strength, 2)))
    return shapes


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
