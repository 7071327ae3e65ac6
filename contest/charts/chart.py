"""What a picture is: shapes in a style, words for those who cannot see it, and a table of its numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Cell = str | float | int | None
Style = Literal[
    "grid",
    "axis",
    "first",
    "second",
    "mine",
    "house",
    "front",
    "limit",
    "heat",
    "plate",
    "tick",
    "label",
    "value",
]
"""How a shape looks; contest/charts/svg.py says it for every style, in both themes."""

WIDTH = 640


def thousands(**counts: int) -> dict[str, str]:
    """Counts as the words beside a picture write them.

    >>> thousands(n=2288, half=1)
    {'n': '2,288', 'half': '1'}
    """
    return {name: f"{count:,}" for name, count in counts.items()}


@dataclass(frozen=True)
class Rect:
    x: float
    y: float
    width: float
    height: float
    style: Style
    note: str = ""
    opacity: float = 1.0


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    style: Style
    note: str = ""
    radius: float = 6.0


@dataclass(frozen=True)
class Line:
    points: Sequence[tuple[float, float]]
    style: Style


@dataclass(frozen=True)
class Words:
    x: float
    y: float
    text: str
    style: Style = "tick"
    anchor: Literal["start", "middle", "end"] = "middle"
    upright: bool = False
    """Written from the bottom to the top."""


Shape = Rect | Dot | Line | Words


@dataclass(frozen=True)
class Chart:
    """A picture. ``summary`` is its text alternative; ``columns`` and ``rows`` are its table."""

    name: str
    title: str
    summary: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    shapes: Sequence[Shape]
    height: float
    legend: Sequence[tuple[Style, str]] = ()
    width: float = WIDTH
    address: str = field(default="", compare=False)
    """Where the picture can be downloaded from, without the ending."""

    @property
    def svg(self) -> str:
        from contest.charts.svg import inline

        return inline(self)

    def as_csv(self) -> str:
        """The table as a file; a cell that a spreadsheet would take for a formula is quoted as text."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerow([_harmless(cell) for cell in self.columns])
        writer.writerows([[_harmless(cell) for cell in row] for row in self.rows])
        return text.getvalue()


def _harmless(cell: Cell) -> Cell:
    """
    >>> _harmless("=HYPERLINK(1)"), _harmless(-3), _harmless("Tanuki")
    ("'=HYPERLINK(1)", -3, 'Tanuki')
    """
    if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{cell}"
    return "" if cell is None else cell
