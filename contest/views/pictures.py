from __future__ import annotations

from collections.abc import Sequence

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.board.board_cache import board_context, board_map, board_of, shows_attacks
from contest.board.matrix import matrix
from contest.board.queries import BoardRow
from contest.board.utility_risk_map import utility_map
from contest.charts.chart import Chart
from contest.models import Round
from contest.pages.pictures import charts_of_dataset, charts_of_entry, charts_of_round
from contest.pages.round_pictures import matrix_picture, measure_map, measure_strips
from contest.views.games import boards as games
from contest.views.picture_files import as_file
from contest.views.requests import PageRequest

MOST_SPOTS = 1000
"""Entries in a picture: more points than this add nothing."""


@require_safe
def pictures(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """All pictures of a round; `?measure=` draws the map over one measure and its limit."""
    round_ = _format_round(request, slug, round_slug)
    rows = _rows(request, round_)
    chosen = request.GET.get("measure", "")
    over = measure_map(rows, chosen) if chosen else None
    shown = [over or utility_map(rows), measure_strips(rows)]
    if _sees_attacks(request, round_):
        shown.append(matrix_picture(matrix(round_)))
    context = {
        "contest": round_.contest,
        "round": round_,
        "rows": rows,
        "charts": charts_of_round(round_, shown),
        "measures": rows[0].measures if rows else [],
        "chosen": chosen if over else "",
    }
    return render(request, "contest/pictures.html", context)


@require_safe
def round_picture(request: PageRequest, slug: str, round_slug: str, name: str, form: str) -> HttpResponse:
    """One picture of a round or of its data set as a file; `?x=` and `?y=` choose the axes of the map."""
    if name == "map":
        round_ = access.round_for(request.user, slug, round_slug)
        if round_.game_id is not None:
            return games.map_file(request, round_, form)
    round_ = _format_round(request, slug, round_slug)
    return as_file(_find(_round_charts(request, round_, name), name), form)


@require_safe
def entry_picture(
    request: PageRequest, slug: str, round_slug: str, entry_id: int, name: str, form: str
) -> HttpResponse:
    """One picture of an entry as a file."""
    entry = access.entry_for(request.user, slug, round_slug, entry_id)
    if entry.round.game_id is not None or not access.sees_individuals(request.user, entry):
        raise Http404
    return as_file(_find(charts_of_entry(entry), name), form)


def _format_round(request: PageRequest, slug: str, round_slug: str) -> Round:
    """Rounds of games have no pictures: nobody knows what their tables mean."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        raise Http404
    return round_


def _rows(request: PageRequest, round_: Round) -> list[BoardRow]:
    my_team = access.team_of(request.user, round_.contest)
    board = board_of(round_, shows_attacks(round_))
    return board.rows_for(my_team)[:MOST_SPOTS]


def _sees_attacks(request: PageRequest, round_: Round) -> bool:
    return access.results_are_public(round_) or access.is_organiser(request.user, round_.contest)


def _round_charts(request: PageRequest, round_: Round, name: str) -> list[Chart]:
    """The charts that may include one of this name; only what the name can mean is computed."""
    if name == "matrix":
        return [matrix_picture(matrix(round_))] if _sees_attacks(request, round_) else []
    if name == "map":
        team = access.team_of(request.user, round_.contest)
        return [board_map(round_, team, board_context(round_, team, request.GET.dict())).chart]
    if name == "strips" or name.startswith("map-"):
        rows = _rows(request, round_)
        over = measure_map(rows, name.removeprefix("map-"))
        return [measure_strips(rows), *([over] if over else [])]
    return charts_of_dataset(round_)


def _find(charts: Sequence[Chart], name: str) -> Chart:
    found = next((chart for chart in charts if chart.name == name), None)
    if found is None:
        raise Http404
    return found
