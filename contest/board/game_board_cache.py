"""The boards that a game has counted, read and rendered once for each version and each kind of reader.

What a reader may see is in the key: so nothing that is remembered for one is shown to another.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Max
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from contest import access
from contest.board.board_cache import ROWS_A_PAGE, Fragment
from contest.board.game_boards import Counted, ShownBoard, counted_boards, game_map, version_of
from contest.board.single_flight_cache import Memo
from contest.models import Round, StoredBoard, Team
from contest.play.table import Table

_fragments: Memo[Fragment] = Memo(256)
_counted: Memo[Counted] = Memo(256)


@dataclass(frozen=True)
class Look:
    """Somebody who looks at the boards of a round. ``key`` names everything that what they see depends on."""

    user: access.Viewer
    round: Round
    team: Team | None
    version: str
    key: Hashable

    def counted(self) -> Counted:
        return _counted.get(self.key, lambda: counted_boards(self.user, self.round, self.team))


def look_at(user: access.Viewer, round_: Round, team: Team | None) -> Look:
    shows_attacks = access.sees_attacks(user, round_)
    version = version_of(user, round_)
    view = StoredBoard.View.FINAL if shows_attacks else StoredBoard.View.LIVE
    # Boards are replaced as a whole, never changed, so the newest row names them all.
    stored = StoredBoard.objects.filter(round=round_, view=view).aggregate(newest=Max("pk"))
    key = (
        round_.pk,
        round_.contest.slug,
        round_.slug,
        round_.game_id,
        round_.ranking,
        version,
        stored["newest"],
        shows_attacks,
        access.is_organiser(user, round_.contest),
        team.pk if team else None,
    )
    return Look(user, round_, team, version, key)


def fragment_of(look: Look, wanted_page: str | None) -> Fragment:
    """The part of the page that changes, rendered once for each version, reader, page and language."""
    counted = look.counted()
    longest = max((board.lines for board in counted.boards), key=len, default=[])
    page: Page[Any] = Paginator(longest, ROWS_A_PAGE).get_page(wanted_page)
    place = (get_language(), timezone.get_current_timezone_name(), look.round.contest.time_zone)
    return _fragments.get((look.key, page.number, *place), lambda: _render(look, counted, page))


def _render(look: Look, counted: Counted, page: Page[Any]) -> Fragment:
    round_ = look.round
    declared = Table(round_).declared
    shown = replace(counted, boards=[_on_page(board, page) for board in counted.boards])
    context = {
        "contest": round_.contest,
        "round": round_,
        "rule": next((rule for rule in declared.rules if rule.name == round_.ranking), None),
        "counted": shown,
        "map": game_map(look.user, round_, look.team),
        "version": look.version,
        "path": round_.get_absolute_url(),
        "page": page,
    }
    return Fragment.of(render_to_string("contest/games/_boards.html", context))


def _on_page(board: ShownBoard, page: Page[Any]) -> ShownBoard:
    """The rows of one page; the reader's own row is on every page."""
    first = ROWS_A_PAGE * (page.number - 1)
    last = first + ROWS_A_PAGE
    lines = [line for place, line in enumerate(board.lines) if first <= place < last or line.is_mine]
    return replace(board, lines=lines)
