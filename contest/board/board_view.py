"""What somebody asks of a board: a sort, a search, which rows, and the axes of the map.

All of it is in the address, so that a link reproduces it. What a board does not know is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar
from urllib.parse import urlencode

from contest.names.lookalikes import normalise_name

LONGEST_SEARCH = 60
"""Letters of a search. Names are not longer, so a longer one finds nothing and is ignored."""
PLACE, TEAM = "place", "team"
SHOWN = ("teams", "house")

Row = TypeVar("Row")
Value = float | str | None
Best = Literal["low", "high"]


@dataclass(frozen=True)
class BoardView:
    """``sort`` is a column, with a minus sign from high to low. The empty text is always the default."""

    sort: str = ""
    search: str = ""
    show: str = ""
    track: str = ""
    x: str = ""
    y: str = ""

    @property
    def column(self) -> str:
        return self.sort.removeprefix("-") or PLACE

    @property
    def is_filtered(self) -> bool:
        return bool(self.search or self.show or self.track)

    def query(self, **changes: str) -> str:
        """The part of an address that asks for this view, or for one with changes; it ends with ``&``."""
        changed = replace(self, **changes)
        asked = {name: value for name, value in vars(changed).items() if value}
        return f"{urlencode(asked)}&" if asked else ""


DEFAULT = BoardView()


def asked_view(
    query: Mapping[str, str],
    columns: Collection[str],
    axes: Collection[str],
    usual: tuple[str, str],
    tracks: Collection[str] = (),
) -> BoardView:
    """The view that an address asks for. ``usual`` are the axes of a map for which nobody asks."""
    sort = query.get("sort", "")
    show = query.get("show", "")
    track = query.get("track", "")
    x, y = (query.get(name, "") for name in ("x", "y"))
    return BoardView(
        sort=sort if sort.removeprefix("-") in columns and sort != PLACE else "",
        search=_search(query.get("search", "")),
        show=show if show in SHOWN else "",
        track=track if track in tracks else "",
        x=x if x in axes and x != usual[0] else "",
        y=y if y in axes and y != usual[1] else "",
    )


def _search(text: str) -> str:
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= LONGEST_SEARCH else ""


def matching(
    rows: Sequence[Row],
    view: BoardView,
    names: Callable[[Row], Sequence[str]],
    is_house: Callable[[Row], bool],
    track: Callable[[Row], str],
) -> list[Row]:
    """The rows that a view shows, in the order in which they are."""
    wanted = normalise_name(view.search)
    return [
        row
        for row in rows
        if (not view.track or track(row) == view.track)
        and (not view.show or is_house(row) == (view.show == "house"))
        and (not wanted or any(wanted in normalise_name(name) for name in names(row)))
    ]


def in_order(rows: Sequence[Row], view: BoardView, value: Callable[[Row, str], Value]) -> list[Row]:
    """The rows sorted as asked; equal ones stay as they are, and those without a value are last."""
    if not view.sort:
        return list(rows)
    known: list[tuple[float | str, Row]] = []
    unknown: list[Row] = []
    for row in rows:
        found = value(row, view.column)
        if found is None or (isinstance(found, float) and math.isnan(found)):
            unknown.append(row)
        else:
            known.append((found, row))
    known.sort(key=lambda pair: pair[0], reverse=view.sort.startswith("-"))
    return [row for _, row in known] + unknown


@dataclass(frozen=True)
class Head:
    """A column's head: where a click on it leads, and how the column is sorted now."""

    name: str
    query: str
    sorted: Literal["ascending", "descending", ""] = ""


def head_of(view: BoardView, name: str, best: Best = "low") -> Head:
    """The best first; once it is sorted so, the other way round."""
    ascending, descending = ("" if name == PLACE else name), f"-{name}"
    first, second = (ascending, descending) if best == "low" else (descending, ascending)
    now = view.sort if view.column == name else None
    state: Literal["ascending", "descending", ""] = ""
    if now is not None:
        state = "descending" if now == descending else "ascending"
    query = view.query(sort=second if now == first else first)
    return Head(name, query.removesuffix("&"), state)


def way_to(view: BoardView, my_page: int | None, page: int) -> str:
    """Where one's own row is: on this page, on another one, or hidden by a search."""
    if my_page is None:
        return f"?{view.query(search='', show='', track='')}me=1#mine"
    return "#mine" if my_page == page else f"?{view.query()}page={my_page}#mine"
