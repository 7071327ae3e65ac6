"""Slopes: the places of teams at two moments, joined by a line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contest.charts.chart import WIDTH, Chart, Dot, Polyline, Shape, Style, Words
from contest.files.spreadsheet import Cell

LEFT, RIGHT = 220.0, WIDTH - 220.0
TOP, ROW, FOOT = 44.0, 26.0, 20.0
LONGEST = 24
"""Characters of a name in the picture; the table has all of it."""


@dataclass(frozen=True)
class Slope:
    name: str
    before: int
    after: int


def slopes(
    name: str, title: str, summary: str, lines: Sequence[Slope], *, side: str, before: str, after: str
) -> Chart:
    """Draw the lines; who rose is solid, who fell or stayed is dashed. Places nobody has are left out."""
    places = sorted({place for line in lines for place in (line.before, line.after)})
    heights = {place: TOP + ROW * number for number, place in enumerate(places)}
    bottom = TOP + ROW * max(len(places) - 1, 0)
    shapes: list[Shape] = [
        Words(LEFT, TOP - 22, before, "label"),
        Words(RIGHT, TOP - 22, after, "label"),
    ]
    for x in (LEFT, RIGHT):
        shapes.append(Polyline([(x, TOP - 8), (x, bottom + 8)], "grid"))
    for line in lines:
        style: Style = "first" if line.after < line.before else "second"
        ends = [(LEFT, heights[line.before]), (RIGHT, heights[line.after])]
        shapes.append(Polyline(ends, style))
        note = f"{line.name}: {line.before} → {line.after}"
        shapes += [Dot(x, y, style, note, 4) for x, y in ends]
    shapes += _names(lines, heights, is_left=True) + _names(lines, heights, is_left=False)
    rows: list[tuple[Cell, ...]] = [(line.name, line.before, line.after) for line in lines]
    return Chart(name, title, summary, (side, before, after), rows, shapes, bottom + FOOT)


def _names(lines: Sequence[Slope], heights: Mapping[int, float], *, is_left: bool) -> list[Shape]:
    by_place: dict[int, list[str]] = {}
    for line in lines:
        by_place.setdefault(line.before if is_left else line.after, []).append(line.name)
    shapes: list[Shape] = []
    for place, names in by_place.items():
        text = ", ".join(names)
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        if is_left:
            shapes.append(Words(LEFT - 12, heights[place] + 4.5, f"{text}  {place}", "value", "end"))
        else:
            shapes.append(Words(RIGHT + 12, heights[place] + 4.5, f"{place}  {text}", "value", "start"))
    return shapes
