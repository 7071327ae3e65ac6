"""The boards that a game has counted, as somebody may see them: columns as declared, places, the own row."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.urls import reverse
from django.utils import timezone

from contest import access
from contest.board.board_view import PLACE, TEAM, BoardView, Value, in_order, matching
from contest.board.rank_changes import NO_CHANGES, Change, Changes, changes_of
from contest.board.still import still_board_of
from contest.board.tracks import places_in_tracks, tracks_of
from contest.files.spreadsheet import csv_text
from contest.models import Job, Round, StoredBoard, Team
from contest.names.lookalikes import normalise_name
from contest.play.counting import HOUSE
from contest.play.table import Table
from games.contract.declaration import Declaration, Method, Number, Text


@dataclass(frozen=True)
class BoardColumn:
    """A column with the number that the game declares for it, where there is one, and its decimals."""

    name: str
    number: Number | None
    decimals: int


@dataclass(frozen=True)
class BoardLine:
    """One row: a team, a target or an attacker. ``url`` leads to its entry where the reader may open it."""

    place: int | None
    label: str
    kind: str
    is_mine: bool
    cells: list[str]
    values: Mapping[str, float | None]
    url: str = ""
    method: Method | None = None
    change: Change | None = None
    track: str = ""
    track_place: int | None = None
    """Its place among the rows of its track."""

    @property
    def is_house(self) -> bool:
        return self.kind != "team"


@dataclass(frozen=True)
class ShownBoard:
    """A board, with the rows that the reader may see."""

    name: str
    columns: list[BoardColumn]
    lines: list[BoardLine]
    only_own: bool = False
    title: Text = field(default_factory=dict)

    @property
    def house_beside(self) -> bool:
        return any(line.is_house and line.place is None for line in self.lines)


@dataclass(frozen=True)
class Counted:
    """All boards of a round that somebody may see."""

    boards: list[ShownBoard]
    made_at: datetime.datetime | None
    is_being_counted: bool
    shows_attacks: bool
    changes_since: datetime.datetime | None = None


def view_for(user: access.Viewer, round_: Round) -> StoredBoard.View:
    """Which of the stored boards of a round somebody sees."""
    if access.sees_attacks(user, round_):
        return StoredBoard.View.FINAL
    return StoredBoard.View.STILL if access.stands_still(round_) else StoredBoard.View.LIVE


def counted_boards(user: access.Viewer, round_: Round, team: Team | None) -> Counted:
    """The final boards where results may be seen, else those that tell nothing of attacks."""
    shows_attacks = access.sees_attacks(user, round_)
    view = view_for(user, round_)
    can_organise = access.is_organiser(user, round_.contest)
    declared = Table(round_).declared
    stored = list(StoredBoard.objects.filter(round=round_, view=view).order_by("position"))
    if not can_organise and view != StoredBoard.View.STILL and still_board_of(round_) is not None:
        # It has begun to stand still while the boards were read.
        view, shows_attacks = StoredBoard.View.STILL, False
        stored = list(StoredBoard.objects.filter(round=round_, view=view).order_by("position"))
    changes = _changes(stored, round_) if shows_attacks else NO_CHANGES
    tracks = tracks_of(round_.contest)
    boards = [
        _tracked(board, tracks, _shown(board, round_, declared, team, can_organise, shows_attacks, changes))
        for board in stored
        if can_organise or board.shown != "organisers"
    ]
    made_at = max((board.made_at for board in stored), default=None)
    counting = shows_attacks and is_being_counted(round_)
    return Counted(boards, made_at, counting, shows_attacks, changes.since)


def _changes(stored: Sequence[StoredBoard], round_: Round) -> Changes:
    """Standings are recorded of the first board alone, and only where everybody sees all of it."""
    if not stored or stored[0].shown != "all":
        return NO_CHANGES
    ranks = {
        row["team"]: row["place"]
        for row in stored[0].rows
        if row["team"] is not None and row["place"] is not None
    }
    return changes_of(round_, ranks, timezone.now())


def is_being_counted(round_: Round) -> bool:
    waiting = [Job.State.QUEUED, Job.State.RUNNING]
    return Job.objects.filter(kind=Job.Kind.TALLY, round=round_, state__in=waiting).exists()


def version_of(user: access.Viewer, round_: Round) -> str:
    """How a page knows that the boards it shows are the newest ones that its reader may see."""
    version = access.matrix_version(user, round_)
    if not access.sees_attacks(user, round_):
        return version
    if version.startswith("full-"):
        final = StoredBoard.objects.filter(round=round_, view=StoredBoard.View.FINAL)
        version += f"-{final.order_by('-counted').values_list('counted', flat=True).first() or 0}"
    return f"{version}-counting" if is_being_counted(round_) else version


def _shown(
    board: StoredBoard,
    round_: Round,
    declared: Declaration,
    team: Team | None,
    can_organise: bool,
    shows_attacks: bool,
    changes: Changes,
) -> ShownBoard:
    numbers = declared.board_numbers(board.name)
    columns = [
        BoardColumn(name, numbers.get(name), decimals_of(board.rows, name, numbers.get(name)))
        for name in board.columns
    ]
    only_own = board.shown == "own row" and not can_organise
    mine = team.pk if team else None
    rows = [row for row in board.rows if not only_own or (mine is not None and row["team"] == mine)]
    pattern = reverse("entry", args=[round_.contest.slug, round_.slug, 0])
    methods = {f"{HOUSE}{attack.name}": attack for attack in declared.attacks}
    moved = changes.by_team if board.position == 0 else {}
    lines = []
    for row in rows:
        is_mine = mine is not None and row["team"] == mine
        may_open = row["entry"] is not None and (shows_attacks or is_mine)
        url = pattern.replace("/0/", f"/{row['entry']}/") if may_open else ""
        lines.append(
            BoardLine(
                row["place"],
                row["key"],
                row["kind"],
                is_mine,
                [_aligned(row["values"].get(column.name), column.decimals) for column in columns],
                row["values"],
                url,
                methods.get(row["key"]) if row["kind"] == "attack" else None,
                moved.get(row["team"]) if row["place"] is not None else None,
            )
        )
    return ShownBoard(board.name, columns, lines, only_own, declared.board_title(board.name))


def _tracked(board: StoredBoard, tracks: Mapping[int, str], shown: ShownBoard) -> ShownBoard:
    """The board with the tracks of its teams. Places in a track are among all rows, also those not shown."""
    if not tracks:
        return shown
    of_teams = [row for row in board.rows if row["kind"] == "team"]
    of_row = {row["key"]: tracks.get(row["team"], "") for row in of_teams}
    places = places_in_tracks((row["key"], of_row[row["key"]], row["place"]) for row in of_teams)
    lines = [
        replace(line, track=of_row[line.label], track_place=places.get(line.label))
        if line.kind == "team"
        else line
        for line in shown.lines
    ]
    return replace(shown, lines=lines)


def of_track(boards: Sequence[ShownBoard], track: str) -> list[ShownBoard]:
    """The boards with the rows of one track, or with all."""
    view = BoardView(track=track)
    return [viewed(board, view) for board in boards]


def viewed(board: ShownBoard, view: BoardView) -> ShownBoard:
    """The rows that a view asks for. A column that a board does not have leaves its order as it is."""
    lines = matching(board.lines, view, _names, lambda line: line.is_house, lambda line: line.track)
    known = view.column in (PLACE, TEAM) or any(column.name == view.column for column in board.columns)
    return replace(board, lines=in_order(lines, view, _value) if known else lines)


def _names(line: BoardLine) -> list[str]:
    return [line.label, *(line.method.title.values() if line.method else ())]


def _value(line: BoardLine, column: str) -> Value:
    if column == PLACE:
        return line.place
    return normalise_name(line.label) if column == TEAM else line.values.get(column)


def decimals_of(rows: Sequence[Mapping[str, Any]], name: str, number: Number | None) -> int:
    """How many decimals a column is shown with: as declared, none where all are whole, else by their size.

    >>> decimals_of([{"values": {"x": 3.0}}], "x", None), decimals_of([{"values": {"x": 62.5}}], "x", None)
    (0, 2)
    """
    values = [value for row in rows if (value := row["values"].get(name)) is not None]
    if all(value == int(value) for value in values):
        return 0
    if number is not None:
        return number.decimals
    return 4 if max(map(abs, values)) < 10 else 2


def _aligned(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:,.{decimals}f}"


def text_of(value: float | None, decimals: int) -> str:
    """A number as a board shows it; one that is whole needs no decimals.

    >>> text_of(0.5, 4), text_of(3.0, 4), text_of(None, 2), text_of(1234.5, 1)
    ('0.5000', '3', '–', '1,234.5')
    """
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.{decimals}f}"


def boards_data(boards: Sequence[ShownBoard], tracked: bool = False) -> list[dict[str, Any]]:
    """Boards as plain data, with every digit; with tracks where their contest has some."""
    return [
        {
            "board": board.name,
            "columns": [column.name for column in board.columns],
            "rows": [
                {
                    "place": line.place,
                    "name": line.label,
                    "kind": line.kind,
                    **({"track": line.track, "track_place": line.track_place} if tracked else {}),
                    "values": dict(line.values),
                }
                for line in board.lines
            ],
        }
        for board in boards
    ]


def boards_csv(boards: Sequence[ShownBoard], tracked: bool = False) -> str:
    """All boards in one table: a column that a board does not have is empty there."""
    names = list(dict.fromkeys(column.name for board in boards for column in board.columns))
    rows = [
        [
            *(board.name, line.place, line.label, line.kind),
            *((line.track, line.track_place) if tracked else ()),
            *(line.values.get(name) for name in names),
        ]
        for board in boards
        for line in board.lines
    ]
    of_tracks = ["track", "track_place"] if tracked else []
    return csv_text(["board", "place", "name", "kind", *of_tracks, *names], rows)
