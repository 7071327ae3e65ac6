"""The pictures of a game as plain data: every number finite, every list bounded, every name declared.

What a game draws is stored as JSON and drawn by pages that know nothing of the game. A picture that is not as
the contract says is refused with the place of what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from datasets.messages import Message, Template
from datasets.problems import shown
from games.contract.broken import BAD_PICTURE, TOO_MANY_PICTURES, UNKNOWN_PICTURE, BrokenGame
from games.contract.declaration import Picture
from games.contract.values import Bars, Curves, Drawing, Heatmap

MOST_PICTURES = 24
"""Of one entry or one answer."""
MOST_SERIES = 2
"""Of bars and panels: before and after."""
MOST_CURVES = 4
MOST_CLASSES = 60
MOST_SIDE = 40
"""Rows and columns of a matrix."""
MOST_POINTS = 200
"""Of one curve."""
MOST_MARKS = 20
LONGEST = 60
"""Characters of a label."""
LARGEST = 10**15

A_NUMBER = Template("picture.number", "a finite number up to %(n)s")
NOT_NEGATIVE = Template("picture.not-negative", "a number from 0 up")
A_LABEL = Template("picture.label", "a text of 1 to %(n)s characters that can be printed")
A_PART = Template("picture.part", "a text of at most %(n)s characters that can be printed, each part once")
A_LIST = Template("picture.list", "a list of %(low)s to %(high)s")
AS_MANY = Template("picture.as-many", "a list of %(n)s, one for each")
A_MAPPING = Template("picture.mapping", "%(low)s to %(high)s of them by name")
A_WORD = Template("picture.word", "a name among its declared words: %(names)s")
A_PAIR = Template("picture.pair", "two lists, x and y")
RIGHTWARDS = Template("picture.rightwards", "numbers that never become smaller")
A_KIND = Template("picture.kind", "the numbers of %(kind)s")
ONCE = Template("picture.once", "a label that is not used before")

KINDS = {"bars": Bars, "heatmap": Heatmap, "curves": Curves}


def require_pictures(declared: Sequence[Picture], drawn: Iterable[Drawing]) -> None:
    """The pictures are as declared; the first that is not stops the game."""
    plain_pictures(declared, drawn)


def plain_pictures(declared: Sequence[Picture], drawn: Iterable[Drawing]) -> list[dict[str, Any]]:
    """What a game drew as JSON has it, in the order of the declaration."""
    known = {picture.name: picture for picture in declared}
    found = list(islice(drawn, MOST_PICTURES + 1))
    if len(found) > MOST_PICTURES:
        raise BrokenGame(TOO_MANY_PICTURES(n=MOST_PICTURES))
    made: list[dict[str, Any]] = []
    parts: set[tuple[str, str]] = set()
    for one in found:
        name = one.name if isinstance(one, Bars | Heatmap | Curves) else type(one).__name__
        if not isinstance(name, str) or name not in known:
            raise BrokenGame(UNKNOWN_PICTURE(name=_shown(name), names=list(known) or ["–"]))
        plain = _Checked(known[name]).plain(one)
        if (name, plain["part"]) in parts:
            raise _bad(name, "part", plain["part"], A_PART(n=LONGEST))
        parts.add((name, plain["part"]))
        made.append(plain)
    places = list(known)
    return sorted(made, key=lambda plain: places.index(plain["name"]))


class _Checked:
    """The checks of one picture."""

    def __init__(self, declared: Picture) -> None:
        self.declared = declared

    def bad(self, place: str, got: Any, expected: Message) -> BrokenGame:
        return _bad(self.declared.name, place, got, expected)

    def plain(self, drawing: Drawing) -> dict[str, Any]:
        kind = self.declared.kind
        if not isinstance(drawing, KINDS[kind]):
            raise self.bad("kind", type(drawing).__name__, A_KIND(kind=kind))
        part = drawing.part
        if not isinstance(part, str) or len(part) > LONGEST or not part.isprintable():
            raise self.bad("part", part, A_PART(n=LONGEST))
        head = {"name": self.declared.name, "part": part, "kind": kind}
        match drawing:
            case Bars():
                return head | self._bars(drawing)
            case Heatmap():
                return head | self._heatmap(drawing)
        return head | self._curves(drawing)

    def _bars(self, bars: Bars) -> dict[str, Any]:
        classes = self._labels("classes", bars.classes, MOST_CLASSES)
        series = []
        for name, values in self._named("series", bars.series, 1, MOST_SERIES):
            place = f"series.{name}"
            numbers = self._numbers(place, values, len(classes))
            for number, value in enumerate(numbers):
                if value < 0:
                    raise self.bad(f"{place}[{number}]", value, NOT_NEGATIVE())
            series.append({"name": name, "values": numbers})
        return {"classes": classes, "series": series}

    def _heatmap(self, heatmap: Heatmap) -> dict[str, Any]:
        rows = self._labels("rows", heatmap.rows, MOST_SIDE)
        columns = self._labels("columns", heatmap.columns, MOST_SIDE)
        panels = []
        for name, matrix in self._named("panels", heatmap.panels, 1, MOST_SERIES):
            place = f"panels.{name}"
            given = self._list(place, matrix, len(rows))
            values = [
                self._numbers(f"{place}[{number}]", row, len(columns), undefined=True)
                for number, row in enumerate(given)
            ]
            panels.append({"name": name, "values": values})
        return {"rows": rows, "columns": columns, "panels": panels}

    def _curves(self, drawing: Curves) -> dict[str, Any]:
        curves = [
            self._line(f"curves.{name}", name, pair, MOST_POINTS)
            for name, pair in self._named("curves", drawing.curves, 1, MOST_CURVES)
        ]
        for curve in curves:
            x = curve["x"]
            for number in range(1, len(x)):
                if x[number] < x[number - 1]:
                    raise self.bad(f"curves.{curve['name']}.x[{number}]", x[number], RIGHTWARDS())
        points = [
            self._line(f"points.{name}", name, pair, MOST_MARKS)
            for name, pair in self._named("points", drawing.points, 0, MOST_CURVES)
        ]
        return {"curves": curves, "points": points}

    def _line(self, place: str, name: str, pair: Any, most: int) -> dict[str, Any]:
        if not _is_list(pair) or len(pair) != 2:
            raise self.bad(place, type(pair).__name__, A_PAIR())
        x = self._list(f"{place}.x", pair[0])
        if not 1 <= len(x) <= most:
            raise self.bad(f"{place}.x", len(x), A_LIST(low=1, high=most))
        numbers = self._numbers(f"{place}.x", x, len(x))
        return {"name": name, "x": numbers, "y": self._numbers(f"{place}.y", pair[1], len(x))}

    def _named(self, place: str, given: Any, least: int, most: int) -> list[tuple[str, Any]]:
        """What has a declared name each."""
        if not isinstance(given, Mapping) or not least <= len(given) <= most:
            got = len(given) if isinstance(given, Mapping) else type(given).__name__
            raise self.bad(place, got, A_MAPPING(low=least, high=most))
        for name in given:
            if name not in self.declared.words:
                raise self.bad(place, name, A_WORD(names=list(self.declared.words) or ["–"]))
        return list(given.items())

    def _labels(self, place: str, given: Any, most: int) -> list[str]:
        labels = self._list(place, given)
        if not 1 <= len(labels) <= most:
            raise self.bad(place, len(labels), A_LIST(low=1, high=most))
        for number, label in enumerate(labels):
            is_text = isinstance(label, str) and 1 <= len(label) <= LONGEST and label.isprintable()
            if not is_text:
                raise self.bad(f"{place}[{number}]", label, A_LABEL(n=LONGEST))
            if label in labels[:number]:
                raise self.bad(f"{place}[{number}]", label, ONCE())
        return [str(label) for label in labels]

    def _list(self, place: str, given: Any, n: int | None = None) -> Sequence[Any]:
        if not _is_list(given) or (n is not None and len(given) != n):
            got = len(given) if _is_list(given) else type(given).__name__
            raise self.bad(place, got, A_LIST(low=1, high=MOST_POINTS) if n is None else AS_MANY(n=n))
        found: Sequence[Any] = given
        return found

    def _numbers(self, place: str, given: Any, n: int, *, undefined: bool = False) -> list[Any]:
        numbers = []
        for number, value in enumerate(self._list(place, given, n)):
            if not (undefined and value is None) and not _is_number(value):
                raise self.bad(f"{place}[{number}]", value, A_NUMBER(n=LARGEST))
            numbers.append(None if value is None else _plain(value))
        return numbers


def _is_list(value: Any) -> bool:
    """A list whose length is known; of an array, one that has rows."""
    return isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    # What is no number is neither below nor above the bounds.
    return bool(is_one and -LARGEST <= value <= LARGEST)


def _plain(value: Any) -> int | float:
    """A number as JSON has it.

    >>> _plain(np.int64(3)), _plain(np.float64(0.5))
    (3, 0.5)
    """
    return int(value) if isinstance(value, int | np.integer) else float(value)


def _shown(value: Any) -> str:
    try:
        return shown(str(value)[:LONGEST])
    except ValueError:
        return "a number of more than 4,000 digits"


def _bad(name: str, place: str, got: Any, expected: Message) -> BrokenGame:
    return BrokenGame(BAD_PICTURE(name=name, place=place, got=_shown(got), expected=expected))
