"""Cells of three classifications before and after: a square per class of the first, in two rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from contest.charts.bars import Series
from contest.charts.chart import Chart, Shape, Words
from contest.charts.heat import Panel, grid_shapes

LEFT, TOP, SIDE, BETWEEN = 62.0, 42.0, 20.0, 14.0
HEIGHT = 330.0


def cubes(
    name: str,
    title: str,
    summary: str,
    series: Sequence[Series],
    slices: Sequence[str],
    columns: Sequence[str],
    *,
    x_label: str,
    y_label: str,
) -> Chart:
    """Cell (a, b, c), from 0, is at (a·k + b)·k + c for k slices; c grows upwards, b to the right."""
    before, after = (one.counts for one in series)
    k, high = len(slices), float(max([*before, *after, 1]))
    shapes: list[Shape] = []
    for row, one in enumerate(series):
        y = TOP + row * (k * SIDE + 28)
        shapes.append(Words(18, y + k * SIDE / 2, one.name, "label", upright=True))
        shapes.append(Words(46, y + k * SIDE / 2, y_label, upright=True))
        for a, words in enumerate(slices):
            x = LEFT + a * (k * SIDE + BETWEEN)
            values = [[one.counts[(a * k + b) * k + c] for b in range(k)] for c in reversed(range(k))]
            shapes += grid_shapes(Panel(one.name, values), x, y, SIDE, high)
            if row == 0:
                shapes.append(Words(x + k * SIDE / 2, TOP - 14, words, "label"))
            shapes.append(Words(x + k * SIDE / 2, y + k * SIDE + 14, x_label))
    rows = [
        (a + 1, b + 1, c + 1, before[at], after[at], after[at] - before[at])
        for at, (a, b, c) in enumerate(product(range(k), repeat=3))
        if before[at] or after[at]
    ]
    return Chart(name, title, summary, columns, rows, shapes, HEIGHT)
