"""The board of a round for a large screen and for frames of other sites, as everybody may see it."""

from __future__ import annotations

from dataclasses import replace

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language

from contest.board.board_cache import Fragment
from contest.board.single_flight_cache import Memo
from contest.models import Phase, Round
from contest.pages.top_rows import Top, shown_podium, top_of
from contest.pages.watching import watched

IN_FRAME, IN_HALL, UNDER_PODIUM = 20, 10, 5
"""How many rows of the board are shown; a podium takes the place of some."""
TOLD_IN_HALL, TOLD_UNDER_PODIUM = 7, 4

_fragments: Memo[Fragment] = Memo(128)


def framed(round_: Round) -> tuple[str, Fragment]:
    """The version and the HTML of what a frame shows, in the active language."""
    top = top_of(round_, IN_FRAME)
    return top.version, _remembered("contest/_embed.html", round_, top.version, _of_top(round_, top))


def _of_top(round_: Round, top: Top) -> dict[str, object]:
    return {
        "contest": round_.contest,
        "round": round_,
        "rows": top.rows,
        "column": top.column,
        "version": top.version,
        "language": get_language(),
    }


def projected(round_: Round) -> tuple[str, Fragment]:
    """The same for a large screen: the top, the newest events, the phase and what is left of it."""
    seen = watched(round_.contest, round_)
    phase = _phase_of(round_)
    top = top_of(round_, IN_HALL)
    told = TOLD_IN_HALL
    if top.podium:
        below = [row for row in top.rows if row not in top.podium]
        top, told = replace(top, rows=below[:UNDER_PODIUM]), TOLD_UNDER_PODIUM
    is_open = phase is not None and phase.is_open
    until = phase and (phase.ends_at if is_open else phase.starts_at)
    moment = f"{phase.pk}.{until.timestamp():.0f}" if phase and until else "over"
    version = f"{top.version}-{seen.version}-{moment}"
    context = {
        **_of_top(round_, top),
        **shown_podium(top),
        "version": version,
        "events": seen.events[:told],
        "phase": phase,
        "phase_is_open": is_open,
        "phase_until": until,
    }
    return version, _remembered("contest/_projector.html", round_, version, context)


def _phase_of(round_: Round) -> Phase | None:
    """The phase that is open now, else the next one."""
    coming = Phase.objects.filter(round=round_, ends_at__gt=timezone.now())
    return coming.order_by("starts_at").first()


def _remembered(template: str, round_: Round, version: str, context: dict[str, object]) -> Fragment:
    names = (round_.contest.slug, round_.slug, round_.contest.title, round_.name, round_.contest.time_zone)
    key = (template, round_.pk, version, *names, get_language())
    return _fragments.get(key, lambda: Fragment.of(render_to_string(template, context)))
