"""How places changed by the attacks, and from one round to the next, as pictures of the history page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.urls import reverse
from django.utils.translation import gettext as _

from contest import access
from contest.board import queries
from contest.board.ranking import find_ranking, rank
from contest.charts.chart import Chart
from contest.charts.slopes import Slope, slopes
from contest.models import Round, StoredBoard, Team

TEAMS = 15
"""How many teams a picture holds: those that are highest afterwards."""
Places = Mapping[int, int]


def slope_charts(user: access.Viewer, round_: Round) -> list[Chart]:
    """The pictures that somebody may see; none as long as what attacks found is hidden from them."""
    if not access.sees_attacks(user, round_):
        return []
    after = _places(round_)
    found = [_by_attacks(round_, after)]
    earlier = _round_before(user, round_)
    if earlier is not None:
        found.append(_by_rounds(earlier, round_, after))
    return [chart for chart in found if chart is not None]


def _by_attacks(round_: Round, after: Places) -> Chart | None:
    title = _("Places before and after the attacks")
    chart = _drawn("slope-attacks", title, _before_attacks(round_), after, _("Before"), _("After"))
    return chart and _addressed(chart, round_)


def _by_rounds(earlier: Round, round_: Round, after: Places) -> Chart | None:
    title = _("Places from round to round")
    chart = _drawn("slope-rounds", title, _places(earlier), after, earlier.name, round_.name)
    return chart and _addressed(chart, round_)


def _addressed(chart: Chart, round_: Round) -> Chart:
    folder = reverse("rank_history", args=[round_.contest.slug, round_.slug])
    return replace(chart, address=f"{folder}{chart.name}")


def _drawn(name: str, title: str, before: Places, after: Places, left: str, right: str) -> Chart | None:
    """A picture of those who have a place on both sides; nothing where nobody has."""
    both = sorted((place, key) for key, place in after.items() if key in before)[:TEAMS]
    if not both:
        return None
    teams = Team.objects.in_bulk([key for _place, key in both])
    lines = [Slope(teams[key].name, before[key], place) for place, key in both]
    rose = sum(line.after < line.before for line in lines)
    fell = sum(line.after > line.before for line in lines)
    summary = _("Of %(n)s teams that have a place on both sides, %(rose)s rose and %(fell)s fell.") % {
        "n": len(lines),
        "rose": rose,
        "fell": fell,
    }
    return slopes(name, title, summary, lines, side=_("Team"), before=left, after=right)


def _round_before(user: access.Viewer, round_: Round) -> Round | None:
    """The round before this one, where somebody may see the places of both."""
    rounds = access.rounds_for(user, round_.contest)
    keys = [one.pk for one in rounds]
    number = keys.index(round_.pk) if round_.pk in keys else 0
    earlier = rounds[number - 1] if number > 0 else None
    return earlier if earlier is not None and access.sees_attacks(user, earlier) else None


def _places(round_: Round) -> Places:
    """The places of teams with everything that attacks found."""
    if round_.game_id is not None:
        return _of_board(round_, StoredBoard.View.FINAL)
    ranked = queries.places(round_, show_attacks=True)
    return {entry.team_id: place.rank for place, entry in ranked if place.rank is not None}


def _before_attacks(round_: Round) -> Places:
    """The same by the same rule as if nobody had been found."""
    if round_.game_id is not None:
        return _of_board(round_, StoredBoard.View.LIVE)
    entries = {entry.pk: entry for _place, entry in queries.places(round_, show_attacks=True)}
    results = [replace(queries.result_of(entry, False), hits=0, risk=0.0) for entry in entries.values()]
    ranked = rank(results, find_ranking(round_.ranking))
    return {entries[one.result.key].team_id: one.rank for one in ranked if one.rank is not None}


def _of_board(round_: Round, view: StoredBoard.View) -> Places:
    """The places on a game's first board, where everybody may see it; of two places the better one."""
    board = StoredBoard.objects.filter(round=round_, view=view).order_by("position").first()
    if board is None or board.shown != "all":
        return {}
    found: dict[int, int] = {}
    for row in board.rows:
        if row["team"] is not None and row["place"] is not None:
            found[row["team"]] = min(row["place"], found.get(row["team"], row["place"]))
    return found
