"""Names beside points: as many of the wanted ones as fit without covering each other."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from contest.charts.chart import Words

LONGEST = 18
"""Letters of a name on a picture; the rest is cut."""
LETTER, WIDE_LETTER, LINE = 11.0, 18.0, 19.0
"""The room of letters and lines at the largest size at which a style sheet shows them, that for phones."""
GAP = 4.0

Box = tuple[float, float, float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Wanted:
    """A point and its name."""

    x: float
    y: float
    radius: float
    text: str


def place_names(wanted: Sequence[Wanted], dots: Sequence[tuple[float, float]], frame: Box) -> list[Words]:
    """Each name at the first free side of its point that covers the fewest dots.

    The first names are placed first, so what comes first matters most; a name for which no side is free is
    left out. The same points give the same places.

    >>> two = [Wanted(50, 50, 6, "Neko"), Wanted(50, 52, 6, "Inu")]
    >>> [(word.text, word.anchor) for word in place_names(two, [(50, 50), (50, 52)], (0, 0, 200, 100))]
    [('Neko', 'start'), ('Inu', 'end')]
    """
    taken: list[Box] = []
    placed = []
    for name in wanted:
        text = shortened(name.text)
        fitting = [
            (words, box) for words, box in _sides(name, text) if _inside(box, frame) and not _hits(box, taken)
        ]
        if fitting:
            words, box = min(fitting, key=lambda pair: sum(_covers(pair[1], dot) for dot in dots))
            placed.append(words)
            taken.append(box)
    return placed


def shortened(text: str) -> str:
    """
    >>> shortened("Tanuki"), shortened("The raccoon dogs of Shikoku")
    ('Tanuki', 'The raccoon dogs …')
    """
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def width_of(text: str) -> float:
    """
    >>> width_of("ab"), width_of("狸")
    (22.0, 18.0)
    """
    return sum(WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else LETTER for letter in text)


def _sides(name: Wanted, text: str) -> list[tuple[Words, Box]]:
    """Right, left, above, below, then the corners."""
    width, away = width_of(text), name.radius + GAP
    low, high = name.y + away + LINE - 4, name.y - away - 2
    sides: list[tuple[float, float, Anchor]] = [
        (name.x + away, name.y + 5, "start"),
        (name.x - away, name.y + 5, "end"),
        (name.x, high, "middle"),
        (name.x, low, "middle"),
        (name.x + GAP, high, "start"),
        (name.x - GAP, high, "end"),
        (name.x + GAP, low, "start"),
        (name.x - GAP, low, "end"),
    ]
    found = []
    for x, y, anchor in sides:
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        box = (left, y - LINE + 4, left + width, y + 4)
        found.append((Words(round(x, 1), round(y, 1), text, "name", anchor), box))
    return found


def _inside(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _hits(box: Box, taken: Sequence[Box]) -> bool:
    return any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken
    )


def _covers(box: Box, dot: tuple[float, float]) -> bool:
    return box[0] - 5 <= dot[0] <= box[2] + 5 and box[1] - 5 <= dot[1] <= box[3] + 5
