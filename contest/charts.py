"""Pictures as plain numbers: the templates draw them as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from contest.queries import BoardRow

MAP_LEFT, MAP_WIDTH = 56, 568
MAP_BOTTOM, MAP_HEIGHT = 320, 304
"""The plot area of templates/contest/_map.html; the y axis of an SVG points downwards."""


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    label: str
    is_mine: bool
    is_house: bool
    utility: float
    safety: float


@dataclass(frozen=True)
class UtilityRiskMap:
    """To the right is more useful, upwards is safer; ``front`` joins what nobody beats on both sides."""

    points: list[Point]
    front: str


def utility_risk_map(rows: Sequence[BoardRow]) -> UtilityRiskMap:
    """Every entry whose risk is known as a point."""
    points = [
        Point(
            x=MAP_LEFT + MAP_WIDTH * row.utility / 100,
            y=MAP_BOTTOM - MAP_HEIGHT * row.safety / 100,
            label=f"{row.team_name}: {row.utility:.1f} / {row.safety:.1f}",
            is_mine=row.is_mine,
            is_house=row.is_house,
            utility=row.utility,
            safety=row.safety,
        )
        for row in rows
        if row.safety is not None
    ]
    return UtilityRiskMap(points, " ".join(f"{point.x:.1f},{point.y:.1f}" for point in _front(points)))


def _front(points: Sequence[Point]) -> list[Point]:
    front: list[Point] = []
    best = -1.0
    for point in sorted(points, key=lambda point: (-point.utility, -point.safety)):
        if point.safety > best:
            front.append(point)
            best = point.safety
    return front


@dataclass(frozen=True)
class Bar:
    x: float
    width: float
    middle: float
    height: float
    label: str
    count: int


def bars(
    labels: Sequence[str], counts: Sequence[int], *, width: float = 640, height: float = 190
) -> list[Bar]:
    """A histogram of counts, one bar a label."""
    top = max(counts, default=0) or 1
    step = width / max(1, len(counts))
    return [
        Bar(
            x=step * place + step * 0.1,
            width=step * 0.8,
            middle=step * (place + 0.5),
            height=height * count / top,
            label=label,
            count=count,
        )
        for place, (label, count) in enumerate(zip(labels, counts, strict=True))
    ]
