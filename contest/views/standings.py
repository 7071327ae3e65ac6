"""What is behind a board: the board as a file, how places changed, how a number was computed."""

from __future__ import annotations

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.board.board_cache import board_of, shows_attacks
from contest.board.export import board_csv, board_dicts
from contest.board.rank_history import rank_history
from contest.language.markdown import docstring_to_html
from contest.pages.explanations import explain
from contest.pages.slopes import slope_charts
from contest.views.games import boards as games
from contest.views.picture_files import as_file
from contest.views.requests import PageRequest, asked_track


@require_safe
def export(request: PageRequest, slug: str, round_slug: str, kind: str) -> HttpResponse:
    """The board that everybody sees, as CSV or JSON."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        return games.export(request, round_, kind)
    board = board_of(round_, shows_attacks(round_))
    tracked = bool(round_.contest.tracks)
    track = asked_track(request, round_.contest)
    rows = [row for row in board.rows if not track or row.track == track]
    name = f"{slug}-{round_slug}-board.{kind}"
    if kind == "csv":
        answer = HttpResponse(board_csv(rows, tracked), content_type="text/csv; charset=utf-8")
    elif kind == "json":
        facts = {
            "contest": slug,
            "round": round_slug,
            "ranking": round_.ranking,
            "house_takes_places": round_.house_takes_places,
            "version": round_.board_version,
            "frozen_since": board.still_since and board.still_since.isoformat(),
        }
        answer = JsonResponse({**facts, "as_of": board.as_of.isoformat(), "rows": board_dicts(rows, tracked)})
    else:
        raise Http404
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@require_safe
def history(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """How the places changed; hidden as long as what attacks found is hidden."""
    round_ = access.round_for(request.user, slug, round_slug)
    shown = access.sees_board_history(request.user, round_)
    until = access.history_ends_at(request.user, round_)
    context = {
        "contest": round_.contest,
        "round": round_,
        "shown": shown,
        "history": rank_history(round_, until) if shown else None,
        "still_since": until,
        "charts": slope_charts(request.user, round_),
    }
    return render(request, "contest/history.html", context)


@require_safe
def history_picture(request: PageRequest, slug: str, round_slug: str, name: str, form: str) -> HttpResponse:
    """One picture of the history page as a file."""
    round_ = access.round_for(request.user, slug, round_slug)
    charts = slope_charts(request.user, round_)
    chart = next((chart for chart in charts if chart.name == name), None)
    if chart is None:
        raise Http404
    return as_file(chart, form)


@require_safe
def how(request: PageRequest, slug: str, round_slug: str, entry_id: int, cell: str) -> HttpResponse:
    """One number of an entry: what went in, by which formula and version, and the hashes of the files."""
    entry = access.entry_for(request.user, slug, round_slug, entry_id)
    if entry.round.game_id is not None:
        raise Http404
    explained = explain(request.user, entry, cell)
    context = {
        "contest": entry.round.contest,
        "round": entry.round,
        "entry": entry,
        "explained": explained,
        "documentation_html": docstring_to_html(explained.documentation),
    }
    return render(request, "contest/how.html", context)
