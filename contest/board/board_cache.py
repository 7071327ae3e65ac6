"""The board of a round, computed once for each of its versions and shown to everybody from memory.

Every service that changes what a board shows raises the round's `board_version` in its own transaction. The
version is read before the rows, so what is stored under a version is never older than it.
"""

from __future__ import annotations

import dataclasses
import datetime
import functools
import gzip
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language

from contest import access
from contest.board import queries, still
from contest.board.board_view import DEFAULT, PLACE, TEAM, BoardView, asked_view, head_of, way_to
from contest.board.rank_changes import NO_CHANGES, changes_of
from contest.board.ranking import find_ranking
from contest.board.single_flight_cache import Memo
from contest.board.sorted_rows import COLUMNS, RECEIVED, shown_rows
from contest.board.tracks import track_choices, track_titles
from contest.board.utility_risk_map import USUAL, DrawnMap, axis_choices, axis_names, chosen_map, drawn
from contest.charts.chart import Chart
from contest.models import Round, StillBoard, Team
from contest.numbers import whole_number

ROWS_A_PAGE = 100


@dataclass(frozen=True)
class Board:
    """All rows, as somebody without a team sees them; `places` says where a team's row is."""

    rows: list[queries.BoardRow]
    places: dict[int, int]
    n_waiting: int
    as_of: datetime.datetime
    changes_since: datetime.datetime | None = None
    still_since: datetime.datetime | None = None

    def rows_for(self, team: Team | None) -> list[queries.BoardRow]:
        """The rows with the team's own one marked."""
        place = self.places.get(team.pk) if team else None
        if place is None:
            return self.rows
        mine = dataclasses.replace(self.rows[place], is_mine=True)
        return [*self.rows[:place], mine, *self.rows[place + 1 :]]


@dataclass(frozen=True)
class Fragment:
    """A page of the board as HTML, plain and compressed; it holds no secret, so compression is harmless."""

    html: str
    packed: bytes

    @classmethod
    def of(cls, html: str) -> Fragment:
        return cls(html, gzip.compress(html.encode("utf-8"), 6, mtime=0))


LOOK_SECONDS = 0.5
"""How long a process trusts a version that it has read: however many poll, it asks twice per second."""

_versions: Memo[int | None] = Memo(64)
_rounds: Memo[Round] = Memo(64)
_boards: Memo[Board] = Memo(64)
_fragments: Memo[Fragment] = Memo(256)
_other_views: Memo[Fragment] = Memo(64)
_maps: Memo[DrawnMap] = Memo(64)


def newest_version(contest_slug: str, round_slug: str, shown: int) -> int | None:
    """The version of a board that everybody may see, at least as new as what a page shows already."""
    ask = functools.partial(access.public_board_version, contest_slug, round_slug)
    moment = int(time.monotonic() / LOOK_SECONDS)
    version = _versions.get((contest_slug, round_slug, moment), ask)
    return ask() if version is not None and version < shown else version


def polled_round(user: access.Viewer, contest_slug: str, round_slug: str, shown: str) -> Round:
    """The round for a page that polls. A public round is read once for each version, like its board."""
    version = newest_version(contest_slug, round_slug, whole_number(shown) or 0)
    find = functools.partial(access.round_for, user, contest_slug, round_slug)
    return find() if version is None else _rounds.get((contest_slug, round_slug, version), find)


def shows_attacks(round_: Round) -> bool:
    """Whether the board that everybody sees shows what attacks found, now or when it began to stand still."""
    return still.shows_attacks(round_) if access.stands_still(round_) else access.results_are_public(round_)


def board_of(round_: Round, show_attacks: bool) -> Board:
    return _boards.get(_key(round_, show_attacks), lambda: _make_board(round_, show_attacks))


def _key(round_: Round, show_attacks: bool) -> tuple[Any, ...]:
    names = (round_.contest.slug, round_.slug)
    return (round_.pk, round_.board_version, round_.still_since, show_attacks, *names)


def _make_board(round_: Round, show_attacks: bool) -> Board:
    as_of = timezone.now()
    rows = queries.board(round_, None, show_attacks)
    changes = NO_CHANGES
    if show_attacks:
        ranks = {row.team_id: row.rank for row in rows if row.rank is not None and row.takes_place}
        changes = changes_of(round_, ranks, as_of)
        rows = [
            dataclasses.replace(row, change=changes.by_team.get(row.team_id)) if changes.by_team else row
            for row in rows
        ]
    places = {row.team_id: place for place, row in enumerate(rows)}
    waiting = queries.waiting_entries(round_) if show_attacks else 0
    stored = still.still_board_of(round_)
    if stored is not None:
        # It is asked after the rows were read: where it stood still since, they may hold what is hidden.
        return _still(stored)
    return Board(rows, places, waiting, as_of, changes.since)


def _still(stored: StillBoard) -> Board:
    rows = still.still_rows(stored)
    places = {row.team_id: place for place, row in enumerate(rows)}
    return Board(rows, places, 0, stored.made_at, still_since=stored.made_at)


def board_context(round_: Round, team: Team | None, asked: Mapping[str, str]) -> dict[str, Any]:
    """What the templates of the board show to a member of a team, or to others, who ask for a view of it."""
    show_attacks = shows_attacks(round_)
    board = board_of(round_, show_attacks)
    measures = board.rows[0].measures if board.rows else []
    columns = [PLACE, TEAM, *COLUMNS, *(cell.name for cell in measures), RECEIVED]
    tracks = track_choices(round_.contest)
    view = asked_view(asked, columns, axis_names(measures), USUAL, [track.name for track in tracks])
    rows = shown_rows(board.rows_for(team), view)
    mine = next((place for place, row in enumerate(rows) if row.is_mine), None)
    my_page = mine // ROWS_A_PAGE + 1 if mine is not None else None
    wanted = my_page if "me" in asked and my_page else asked.get("page")
    page: Page[queries.BoardRow] = Paginator(rows, ROWS_A_PAGE).get_page(wanted)
    my_place = board.places.get(team.pk) if team else None
    lower_wins = find_ranking(round_.ranking).lower_wins
    return {
        "contest": round_.contest,
        "round": round_,
        "page": page,
        "rows": list(page.object_list),
        "n_rows": len(board.rows),
        "measures": measures,
        "my_row": board.rows[my_place] if my_place is not None else None,
        "my_page": my_page,
        "my_href": way_to(view, my_page, page.number),
        "my_team": team,
        "updated_at": board.as_of,
        "changes_since": board.changes_since,
        "still_since": board.still_since,
        "version": round_.board_version,
        "n_waiting": board.n_waiting,
        "show_attacks": show_attacks,
        "house_beside": any(not row.takes_place for row in board.rows),
        "lower_wins": lower_wins,
        "path": round_.get_absolute_url(),
        "view": view,
        "kept": view.query(),
        "tracks": tracks,
        "choices": axis_choices(measures, lower_wins=lower_wins),
        "axes": (view.x or USUAL[0], view.y or USUAL[1]),
    }


def fragment(round_: Round, context: dict[str, Any]) -> Fragment:
    """The part of the page that changes, rendered once for each version, page, team, language and view.

    Anybody may ask for any search, so views other than the usual one share a smaller memory and cannot push
    the usual one out.
    """
    team = context["my_team"] if context["my_row"] else None
    audience = (
        team.pk if team else None,
        context["page"].number,
        get_language(),
        timezone.get_current_timezone_name(),
        round_.contest.time_zone,
        context["view"],
    )
    key = (*_key(round_, context["show_attacks"]), *audience)
    memory = _fragments if context["view"] == DEFAULT else _other_views
    return memory.get(key, lambda: _render(round_, team, context))


def _render(round_: Round, team: Team | None, context: dict[str, Any]) -> Fragment:
    view: BoardView = context["view"]
    heads = {
        name: head_of(view, name, "high" if _high_wins(name, context["lower_wins"]) else "low")
        for name in (PLACE, TEAM, *COLUMNS, RECEIVED)
    }
    shown = {
        **context,
        "map": board_map(round_, team, context),
        "heads": heads,
        "track_titles": track_titles(round_.contest),
        "measure_heads": [(cell, head_of(view, cell.name)) for cell in context["measures"]],
    }
    return Fragment.of(render_to_string("contest/_leaderboard.html", shown))


def _high_wins(name: str, lower_wins: bool) -> bool:
    return name in ("utility", "safety") or (name == "total" and not lower_wins)


def board_map(round_: Round, team: Team | None, context: dict[str, Any]) -> DrawnMap:
    """The map of all entries or of a track, drawn once however the table is sorted or searched."""
    view, show_attacks = context["view"], context["show_attacks"]
    asked = (view.x, view.y, view.track)
    key = (*_key(round_, show_attacks), team.pk if team else None, get_language(), *asked)

    def draw() -> DrawnMap:
        rows = board_of(round_, show_attacks).rows_for(team)
        rows = [row for row in rows if not view.track or row.track == view.track]
        chart = chosen_map(rows, context["measures"], view, lower_wins=context["lower_wins"])
        return drawn(with_address(round_, chart), view)

    return _maps.get(key, draw)


def with_address(round_: Round, chart: Chart) -> Chart:
    """A chart with the address of its files."""
    address = reverse("round_picture", args=[round_.contest.slug, round_.slug, chart.name, "svg"])
    return dataclasses.replace(chart, address=address.removesuffix(".svg"))
