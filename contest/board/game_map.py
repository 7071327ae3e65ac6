"""The map of a round of a game: entries between two numbers, their utility and safety where nobody asks."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contest import access
from contest.board.board_view import BoardView
from contest.board.game_boards import BoardColumn, BoardLine, ShownBoard
from contest.board.utility_risk_map import USUAL, Choice, map_between
from contest.charts.chart import Chart
from contest.charts.scatter import Axis, Spot, safety_axis
from contest.models import Entry, Round, Team
from games.contract.declaration import in_language


def mapped_columns(boards: Sequence[ShownBoard]) -> list[BoardColumn]:
    """The columns that an axis may show: those of the first board whose rows its reader sees and can open."""
    first = _first(boards)
    return [column for column in first.columns if column.name not in USUAL] if first else []


def _first(boards: Sequence[ShownBoard]) -> ShownBoard | None:
    open_to_all = (board for board in boards if not board.only_own)
    return next((board for board in open_to_all if any(line.url for line in board.lines)), None)


def game_choices(boards: Sequence[ShownBoard]) -> list[Choice]:
    """What the axes may show, with titles in the visitor's language."""
    choices = [
        Choice("utility", _("Utility"), Axis(_("Utility"))),
        Choice("safety", _("Safety"), safety_axis(_("Safety: 100 − risk in %"))),
    ]
    for column in mapped_columns(boards):
        number = column.number
        language = (get_language() or "en").partition("-")[0]
        plain = _(column.name.replace("-", " ").capitalize())
        title = (in_language(number.title, language) if number else "") or plain
        choices.append(Choice(column.name, title, Axis(title, number.better if number else "")))
    return choices


def game_map(
    user: access.Viewer, round_: Round, team: Team | None, boards: Sequence[ShownBoard], view: BoardView
) -> Chart | None:
    """All entries whose numbers are known and may be seen; None where the usual map has nothing to show."""
    if not access.sees_attacks(user, round_):
        return None
    first = _first(boards)
    lines = {line.url: line for line in first.lines if line.url} if first else {}
    names = (view.x or USUAL[0], view.y or USUAL[1])
    spots = []
    official = Entry.objects.filter(round=round_, is_official=True).select_related("team").order_by("pk")
    for entry in official.filter(team__track=view.track) if view.track else official:
        entry.round = round_
        address = entry.get_absolute_url()
        line = lines.get(address)
        x, y = (_number(entry, line, name) for name in names)
        if x is not None and y is not None:
            is_mine = team is not None and entry.team_id == team.pk
            rank = line.place if line else None
            spots.append(Spot(entry.team.name, x, y, is_mine, entry.team.is_house, address, rank))
    if names == USUAL and (not spots or not any(spot.x for spot in spots)):
        return None
    choices = {choice.name: choice for choice in game_choices(boards)}
    return map_between(spots, choices, names)


def _number(entry: Entry, line: BoardLine | None, name: str) -> float | None:
    if name == "utility":
        return entry.utility
    if name == "safety":
        return None if entry.risk is None else 100 * (1 - entry.risk)
    return line.values.get(name) if line else None
