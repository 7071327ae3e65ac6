"""The order of a round twice: as everybody sees it while the board stands still, and as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from contest.board import queries, still
from contest.board.game_boards import decimals_of, text_of
from contest.board.overall import main_board, total_column
from contest.board.ranking import find_ranking
from contest.models import Round, StoredBoard
from contest.play.table import Table


@dataclass(frozen=True)
class PlacedRow:
    """A row that has a place; ``value`` is its total as the board writes it."""

    key: str
    place: int
    name: str
    value: str
    is_house: bool


@dataclass(frozen=True)
class Orders:
    """``column`` is what a game calls the total; empty where it is the total of the house's own rules."""

    frozen: Sequence[PlacedRow] = field(default_factory=list)
    true: Sequence[PlacedRow] = field(default_factory=list)
    column: str = ""


def both_orders(round_: Round) -> Orders:
    """Both orders, of rows with places alone. Only for organisers, and for what they reveal."""
    if round_.game_id is not None:
        return _of_game(round_)
    digits = 4 if find_ranking(round_.ranking).lower_wins else 2
    stored = still.still_board_of(round_)
    before = still.still_rows(stored) if stored is not None else []
    now = queries.board(round_, None, True)
    return Orders(_of_rows(before, digits), _of_rows(now, digits))


def _of_rows(rows: Iterable[queries.BoardRow], digits: int) -> list[PlacedRow]:
    return [
        PlacedRow(str(row.team_id), row.rank, row.team_name, text_of(row.total, digits), row.is_house)
        for row in rows
        if row.rank is not None and row.takes_place
    ]


def _of_game(round_: Round) -> Orders:
    final = main_board(round_)
    column = total_column(final) if final is not None else None
    if final is None or column is None or final.shown != "all":
        return Orders()
    before = main_board(round_, StoredBoard.View.STILL)
    frozen = before.rows if before is not None and before.shown == "all" else []
    number = Table(round_).declared.board_numbers(final.name).get(column)
    decimals = decimals_of(final.rows, column, number) if final.rows else 2
    return Orders(_of_stored(frozen, column, decimals), _of_stored(final.rows, column, decimals), column)


def _of_stored(rows: Iterable[Mapping[str, Any]], column: str, decimals: int) -> list[PlacedRow]:
    found = [
        PlacedRow(
            f"{row['kind']} {row['key']}",
            row["place"],
            row["key"],
            text_of(row["values"].get(column), decimals),
            row["kind"] != "team",
        )
        for row in rows
        if row["place"] is not None
    ]
    return sorted(found, key=lambda row: row.place)
