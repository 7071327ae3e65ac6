"""The page of a reveal: the places that are revealed so far, and for organisers both orders."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from contest import access
from contest.board.board_cache import Fragment
from contest.board.overall import main_board
from contest.board.rank_changes import Change
from contest.board.single_flight_cache import Memo
from contest.board.two_orders import both_orders
from contest.errors import Refused
from contest.language.declared import readable, title_of
from contest.models import Reveal, Round
from contest.pages.top_rows import MOST_ON_STEPS, STEPS
from contest.play.table import Table
from games.contract.reading import BadGame
from games.loading import NoGame

_fragments: Memo[Fragment] = Memo(64)


def version_of(round_: Round, reveal: Reveal | None) -> str:
    """A name of what everybody sees of a reveal; it tells nothing of what is still hidden."""
    if reveal is None:
        return f"0-{round_.reveal_in_steps:d}"
    return f"{reveal.pk}.{reveal.version}" + ("-ended" if round_.reveal_ended_at else "")


def reveal_fragment(round_: Round, reveal: Reveal | None, *, is_screen: bool) -> Fragment:
    """The part of the page that changes, rendered once for each step and language; alike for everybody."""
    place = (get_language(), timezone.get_current_timezone_name(), round_.contest.time_zone)
    names = (round_.pk, round_.contest.slug, round_.slug, round_.name, round_.contest.title)
    key = (*names, version_of(round_, reveal), is_screen, *place)
    return _fragments.get(key, lambda: _render(round_, reveal, is_screen))


def _render(round_: Round, reveal: Reveal | None, is_screen: bool) -> Fragment:
    name = "reveal_screen" if is_screen else "reveal"
    context = {
        "contest": round_.contest,
        "round": round_,
        "path": reverse(name, args=[round_.contest.slug, round_.slug]),
        "version": version_of(round_, reveal),
        **shown_places(round_, reveal),
    }
    return Fragment.of(render_to_string("contest/_reveal.html", context))


def shown_places(round_: Round, reveal: Reveal | None) -> dict[str, Any]:
    """What everybody may know of a reveal: the best of the revealed places first, then the podium."""
    rows = [
        {
            **row,
            "change": Change(None if row["frozen"] is None else row["frozen"] - row["place"])
            if row["frozen"] != row["place"]
            else None,
        }
        for row in access.revealed_places(reveal)
    ]
    is_whole = reveal is not None and reveal.shown == len(reveal.places)
    podium = [row for row in rows if row["place"] <= STEPS][:MOST_ON_STEPS] if is_whole else []
    return {
        "is_started": reveal is not None,
        "is_ended": round_.reveal_ended_at is not None,
        "places": rows,
        "podium": podium,
        "announced": announced(rows),
        "column": column_of(round_, reveal),
        "podium_column": column_of(round_, reveal),
    }


def announced(rows: Sequence[Mapping[str, Any]]) -> str:
    """What a screen reader says when the page has changed."""
    if not rows:
        return _("The reveal has changed.")
    return _("Place %(place)s: %(name)s") % {"place": rows[0]["place"], "name": rows[0]["name"]}


def column_of(round_: Round, reveal: Reveal | None) -> str:
    """What the values of a reveal are called."""
    if reveal is None or not reveal.column:
        return _("Total")
    try:
        board = main_board(round_)
        number = Table(round_).declared.board_numbers(board.name).get(reveal.column) if board else None
    except (Refused, NoGame, BadGame):
        number = None
    return title_of(number) if number else readable(reveal.column)


def organiser_context(round_: Round, reveal: Reveal | None) -> dict[str, Any]:
    """What organisers see beside it: both orders, and what they can do next."""
    orders = None
    if access.stands_still(round_):
        # Where the game is not installed any more, the board's own page says so.
        with contextlib.suppress(Refused, NoGame, BadGame):
            orders = both_orders(round_)
    shown, n = (reveal.shown, len(reveal.places)) if reveal is not None else (0, 0)
    is_running = reveal is not None and round_.awaits_reveal
    return {
        "orders": orders,
        "seen": shown,
        "n_places": n,
        "can_start": round_.awaits_reveal,
        "is_running": is_running,
        "can_go_on": is_running and shown < n,
        "can_go_back": is_running and shown > 0,
    }
