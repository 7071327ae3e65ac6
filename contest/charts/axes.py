"""Scales, round numbers on them, and the frame around a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from contest.charts.chart import WIDTH, Polyline, Shape, Words

LEFT, RIGHT, TOP, BOTTOM = 62.0, 16.0, 16.0, 48.0


@dataclass(frozen=True)
class Scale:
    """Maps low … high to places on the page, begin … end."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        span = self.high - self.low
        share = (value - self.low) / span if span else 0.0
        return round(self.begin + (self.end - self.begin) * share, 1)


def round_steps(high: float, most: int = 6) -> list[float]:
    """From 0 up to at least ``high`` in steps of 1, 2 or 5 times a power of ten.

    >>> round_steps(0), round_steps(7), round_steps(0.33), round_steps(1234)
    ([0.0, 1.0], [0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 0.1, 0.2, 0.3, 0.4], [0.0, 500.0, 1000.0, 1500.0])
    """
    if not high > 0 or not math.isfinite(high):
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(high / most))
    step = next(step * power for step in (1, 2, 5, 10) if high / (step * power) <= most)
    count = math.ceil(high / step - 1e-9)
    return [round(place * step, 12) for place in range(count + 1)]


def round_range(low: float, high: float) -> list[float]:
    """Like `round_steps`, from at most ``low`` on.

    >>> round_range(-3, 7)
    [-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0]
    """
    high = max(high, 0.0)
    step = round_steps(high - low)[1]
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def tick_text(value: float) -> str:
    """
    >>> tick_text(0.1), tick_text(1500.0), tick_text(0)
    ('0.1', '1,500', '0')
    """
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


@dataclass(frozen=True)
class Frame:
    """The plotting area of a picture of some height."""

    height: float
    x_label: str
    y_label: str

    @property
    def bottom(self) -> float:
        return self.height - BOTTOM

    def across(self, low: float, high: float) -> Scale:
        return Scale(low, high, LEFT, WIDTH - RIGHT)

    def upwards(self, low: float, high: float) -> Scale:
        return Scale(low, high, self.bottom, TOP)

    def grid(
        self, x: Sequence[tuple[float, str]], y: Sequence[tuple[float, str]], *, rules: bool = True
    ) -> list[Shape]:
        """Lines and numbers at some places of both axes, the axes, and what they measure."""
        shapes: list[Shape] = []
        for place, text in x:
            if rules:
                shapes.append(Polyline([(place, TOP), (place, self.bottom)], "grid"))
            shapes.append(Words(place, self.bottom + 17, text))
        for place, text in y:
            shapes.append(Polyline([(LEFT, place), (WIDTH - RIGHT, place)], "grid"))
            shapes.append(Words(LEFT - 7, place + 4.5, text, anchor="end"))
        shapes.append(Polyline([(LEFT, TOP), (LEFT, self.bottom), (WIDTH - RIGHT, self.bottom)], "axis"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        shapes.append(Words(middle, self.height - 8, self.x_label, "label"))
        shapes.append(Words(16, (TOP + self.bottom) / 2, self.y_label, "label", upright=True))
        return shapes
