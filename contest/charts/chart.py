"""What a picture is: shapes in a style, words for those who cannot see it, and a table of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from contest.files.spreadsheet import Cell, csv_text

Style = Literal[
    "grid",
    "axis",
    "first",
    "second",
    "team",
    "mine",
    "house",
    "front",
    "limit",
    "heat",
    "cold",
    "plate",
    "tick",
    "label",
    "value",
    "name",
]
"""How a shape looks; contest/charts/svg.py defines every style, in both themes."""

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
    address: str = ""
    """Where a click on it leads, in a page; files have no links."""


@dataclass(frozen=True)
class Polyline:
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


Shape = Rect | Dot | Polyline | Words


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
    legend_dots: bool = False
    """Whether the legend shows its styles as dots, not as squares."""
    legend_lines: Sequence[Style] = ()
    """The styles that the legend shows as lines."""
    address: str = field(default="", compare=False)
    """Where the picture can be downloaded from, without the ending."""

    @property
    def has_links(self) -> bool:
        return any(isinstance(shape, Dot) and shape.address for shape in self.shapes)

    def as_csv(self) -> str:
        return csv_text(self.columns, self.rows)
