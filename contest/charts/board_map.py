"""Pictures as plain numbers: the templates draw them as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.queries import BoardRow

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 16, 52


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    label: str
    is_mine: bool
    is_house: bool
    utility: float
    safety: float
    url: str


@dataclass(frozen=True)
class Tick:
    position: float
    label: str


@dataclass(frozen=True)
class Map:
    """The utility–risk map: to the right is more useful, upwards is safer."""

    points: list[Point]
    front: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def _x(utility: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * utility / 100, 1)


def _y(safety: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - safety / 100), 1)


def utility_risk_map(rows: Sequence[BoardRow]) -> Map:
    """Every ranked entry as a point, and the front of those that no other beats on both sides."""
    points = [
        Point(
            _x(row.utility),
            _y(row.safety),
            row.team_name,
            row.is_mine,
            row.is_house,
            row.utility,
            row.safety,
            row.entry_url,
        )
        for row in rows
        if row.safety is not None
    ]
    return Map(
        points=points,
        front=" ".join(f"{point.x},{point.y}" for point in _front(points)),
        x_ticks=[Tick(_x(value), str(value)) for value in range(0, 101, 20)],
        y_ticks=[Tick(_y(value), str(value)) for value in range(0, 101, 20)],
    )


def _front(points: Sequence[Point]) -> list[Point]:
    front: list[Point] = []
    best = -1.0
    for point in sorted(points, key=lambda point: (-point.utility, -point.safety)):
        if point.safety > best:
            front.append(point)
            best = point.safety
    return front
