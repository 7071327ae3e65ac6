"""The boards that a game has counted, read and rendered once for each version and each kind of reader.

What a reader may see is in the key: so nothing that is remembered for one is shown to another.
"""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Max
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from contest import access
from contest.board.board_cache import ROWS_A_PAGE, Fragment, with_address
from contest.board.board_view import DEFAULT, PLACE, TEAM, BoardView, Head, asked_view, head_of, way_to
from contest.board.game_boards import (
    BoardColumn,
    BoardLine,
    Counted,
    ShownBoard,
    counted_boards,
    version_of,
    view_for,
    viewed,
)
from contest.board.game_map import game_choices, game_map, mapped_columns
from contest.board.single_flight_cache import Memo
from contest.board.tracks import track_choices, track_titles
from contest.board.utility_risk_map import USUAL, DrawnMap, drawn
from contest.models import Round, StoredBoard, Team
from contest.play.table import Table

_fragments: Memo[Fragment] = Memo(256)
_other_views: Memo[Fragment] = Memo(64)
_maps: Memo[DrawnMap | None] = Memo(64)
_counted: Memo[Counted] = Memo(256)


@dataclass(frozen=True)
class Look:
    """Somebody who looks at the boards of a round. ``key`` names everything that what they see depends on."""

    user: access.Viewer
    round: Round
    team: Team | None
    version: str
    key: Hashable
    shows_attacks: bool

    def counted(self) -> Counted:
        return _counted.get(self.key, lambda: counted_boards(self.user, self.round, self.team))


def look_at(user: access.Viewer, round_: Round, team: Team | None) -> Look:
    shows_attacks = access.sees_attacks(user, round_)
    version = version_of(user, round_)
    view = view_for(user, round_)
    # Boards are replaced as a whole, never changed, so the newest row names them all.
    stored = StoredBoard.objects.filter(round=round_, view=view).aggregate(newest=Max("pk"))
    key = (
        round_.pk,
        round_.contest.slug,
        round_.slug,
        round_.game_id,
        round_.ranking,
        version,
        view,
        stored["newest"],
        shows_attacks,
        access.is_organiser(user, round_.contest),
        team.pk if team else None,
    )
    return Look(user, round_, team, version, key, shows_attacks)


def frozen_since(look: Look) -> datetime.datetime | None:
    """Since when the boards that somebody sees stand still; organisers see those of now."""
    return None if look.shows_attacks else look.round.still_since


def view_of(look: Look, asked: Mapping[str, str]) -> BoardView:
    """What an address asks of the boards that its reader may see."""
    boards = look.counted().boards
    columns = {PLACE, TEAM, *(column.name for board in boards for column in board.columns)}
    axes = [*USUAL, *(column.name for column in mapped_columns(boards))] if look.shows_attacks else []
    tracks = [track.name for track in look.round.contest.declared_tracks]
    return asked_view(asked, columns, axes, USUAL, tracks)


def boards_context(look: Look, asked: Mapping[str, str]) -> dict[str, Any]:
    """What the form above the boards shows, and what the boards themselves are rendered from."""
    counted, view = look.counted(), view_of(look, asked)
    boards = [viewed(board, view) for board in counted.boards]
    longest = max((board.lines for board in boards), key=len, default=[])
    my_board, my_line, my_page = _mine(counted.boards, boards)
    wanted = my_page if "me" in asked and my_page else asked.get("page")
    page: Page[Any] = Paginator(longest, ROWS_A_PAGE).get_page(wanted)
    return {
        "contest": look.round.contest,
        "round": look.round,
        "boards": boards,
        "page": page,
        "my_board": my_board,
        "my_line": my_line,
        "my_href": way_to(view, my_page, page.number),
        "version": look.version,
        "still_since": frozen_since(look),
        "path": look.round.get_absolute_url(),
        "view": view,
        "kept": view.query(),
        "tracks": track_choices(look.round.contest),
        "choices": game_choices(counted.boards) if look.shows_attacks and counted.boards else [],
        "axes": (view.x or USUAL[0], view.y or USUAL[1]),
        "n_rows": sum(len(board.lines) for board in counted.boards),
    }


def _mine(
    every: Sequence[ShownBoard], shown: Sequence[ShownBoard]
) -> tuple[str, BoardLine | None, int | None]:
    """The first board that has a row of the reader, the row, and its page."""
    for whole, board in zip(every, shown, strict=True):
        line = next((line for line in whole.lines if line.is_mine), None)
        if line is not None:
            place = next((place for place, one in enumerate(board.lines) if one.is_mine), None)
            return whole.name, line, None if place is None else place // ROWS_A_PAGE + 1
    return "", None, None


def fragment_of(look: Look, context: dict[str, Any]) -> Fragment:
    """The part of the page that changes, rendered once for each version, reader, page, language and view."""
    place = (get_language(), timezone.get_current_timezone_name(), look.round.contest.time_zone)
    key = (look.key, context["page"].number, *place, context["view"])
    memory = _fragments if context["view"] == DEFAULT else _other_views
    return memory.get(key, lambda: _render(look, context))


def _render(look: Look, context: dict[str, Any]) -> Fragment:
    declared = Table(look.round).declared
    view: BoardView = context["view"]
    shown = {
        **context,
        "rule": next((rule for rule in declared.rules if rule.name == look.round.ranking), None),
        "counted": look.counted(),
        "track_titles": track_titles(look.round.contest),
        "boards": [_headed(_on_page(board, context["page"]), view) for board in context["boards"]],
        "map": boards_map(look, view),
    }
    return Fragment.of(render_to_string("contest/games/_boards.html", shown))


def boards_map(look: Look, view: BoardView) -> DrawnMap | None:
    """The map, drawn once however the tables are sorted or searched; None where there is nothing to show."""

    def draw() -> DrawnMap | None:
        chart = game_map(look.user, look.round, look.team, look.counted().boards, view)
        return drawn(with_address(look.round, chart), view) if chart else None

    return _maps.get((look.key, get_language(), view.x, view.y, view.track), draw)


@dataclass(frozen=True)
class HeadedBoard:
    """A board with the heads of its columns."""

    board: ShownBoard
    place: Head
    team: Head
    columns: list[tuple[BoardColumn, Head]]


def _headed(board: ShownBoard, view: BoardView) -> HeadedBoard:
    columns = [
        (column, head_of(view, column.name, "high" if _high_wins(column) else "low"))
        for column in board.columns
    ]
    return HeadedBoard(board, head_of(view, PLACE), head_of(view, TEAM), columns)


def _high_wins(column: BoardColumn) -> bool:
    return column.number is not None and column.number.better == "higher"


def _on_page(board: ShownBoard, page: Page[Any]) -> ShownBoard:
    """The rows of one page; the reader's own row is on every page."""
    first = ROWS_A_PAGE * (page.number - 1)
    last = first + ROWS_A_PAGE
    lines = [line for place, line in enumerate(board.lines) if first <= place < last or line.is_mine]
    return replace(board, lines=lines)
