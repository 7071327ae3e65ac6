"""Rows of a board as a view asks for them; their places stay those of the ranking."""

from __future__ import annotations

from collections.abc import Sequence

from contest.board.board_view import PLACE, TEAM, BoardView, Value, in_order, matching
from contest.board.queries import BoardRow
from contest.board.utility_risk_map import value_of
from contest.names.lookalikes import normalise_name

COLUMNS = ("total", "safety", "found", "utility")
RECEIVED = "received"


def shown_rows(rows: Sequence[BoardRow], view: BoardView) -> list[BoardRow]:
    found = matching(rows, view, lambda row: [row.team_name], lambda row: row.is_house, lambda row: row.track)
    return in_order(found, view, _value)


def _value(row: BoardRow, column: str) -> Value:
    if column == PLACE:
        return row.rank if row.takes_place else None
    if column == TEAM:
        return normalise_name(row.team_name)
    if column == RECEIVED:
        return row.received_at.timestamp()
    return value_of(row, column)
