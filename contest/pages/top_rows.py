"""The top of a round's board as everybody may see it now: for screens, frames and pictures.

It is taken from the boards that the board's own page shows to visitors, so it tells nothing more.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contest import access
from contest.board.board_cache import board_of, shows_attacks
from contest.board.game_board_cache import look_at
from contest.board.queries import BoardRow
from contest.board.ranking import find_ranking
from contest.board.single_flight_cache import Memo
from contest.errors import Refused
from contest.language import declared
from contest.language.figures import DASH
from contest.models import Round
from games.contract.reading import BadGame
from games.loading import NoGame

TOP = 10
"""How many rows are read for what is told of the top."""
STEPS = 3
MOST_ON_STEPS = 6
"""Teams on a podium, where some share a place."""
_podiums: Memo[dict[str, Any]] = Memo(256)


@dataclass(frozen=True)
class TopRow:
    """``value`` is the number of the board's first column, as the board writes it."""

    place: int | None
    name: str
    value: str
    is_house: bool


@dataclass(frozen=True)
class Top:
    """The first rows of a board. ``column`` says what their values are; before the end there is no podium."""

    column: str
    rows: list[TopRow]
    podium: list[TopRow]
    version: str


def top_of(round_: Round, most: int) -> Top:
    """The first rows, in the reader's language, and after the results who has the first three places."""
    column, rows = _of_game(round_, most) if round_.game_id is not None else _of_format(round_, most)
    placed = [row for row in rows if row.place is not None and row.place <= STEPS]
    podium = placed[:MOST_ON_STEPS] if access.results_have_begun(round_) else []
    shown = repr((rows, podium, round_.still_since, round_.name, round_.contest.title))
    return Top(column, rows, podium, hashlib.sha256(shown.encode()).hexdigest()[:16])


def podium_of(round_: Round) -> dict[str, Any]:
    """What templates need to show who has the first three places; nothing before the results.

    It is found once for each version of the board: the clock gives a new one when the results begin.
    """
    key = (round_.pk, round_.slug, round_.board_version, round_.full_version, get_language())
    return _podiums.get(
        key, lambda: shown_podium(top_of(round_, TOP)) if access.results_have_begun(round_) else {}
    )


def shown_podium(top: Top) -> dict[str, Any]:
    return {"podium": top.podium, "podium_column": top.column}


def _of_format(round_: Round, most: int) -> tuple[str, list[TopRow]]:
    with_attacks = shows_attacks(round_)
    digits = 4 if find_ranking(round_.ranking).lower_wins else 2
    rows = board_of(round_, with_attacks).rows[:most]
    column = _("Total") if with_attacks else _("Utility")
    return column, [_row(row, with_attacks, digits) for row in rows]


def _row(row: BoardRow, with_attacks: bool, digits: int) -> TopRow:
    value = row.total if with_attacks else row.utility
    text = DASH if value is None else f"{value:,.{digits}f}"
    return TopRow(row.rank if row.takes_place else None, row.team_name, text, row.is_house)


def _of_game(round_: Round, most: int) -> tuple[str, list[TopRow]]:
    """The first board of a game that shows everybody's rows, by its first column."""
    try:
        boards = look_at(AnonymousUser(), round_, None).counted().boards
    except (Refused, NoGame, BadGame):
        return "", []  # The game is not installed any more; the board's own page says so.
    board = next((board for board in boards if not board.only_own and board.columns), None)
    if board is None:
        return "", []
    number = board.columns[0].number
    column = declared.title_of(number) if number else declared.readable(board.columns[0].name)
    return column, [
        TopRow(line.place, _name(line.label, line.method), line.cells[0], line.is_house)
        for line in board.lines[:most]
    ]


def _name(label: str, method: object | None) -> str:
    return declared.title_of(method) if method else label
