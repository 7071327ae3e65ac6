from __future__ import annotations

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render

from contest import access
from contest.board.game_board_cache import (
    boards_context,
    boards_map,
    fragment_of,
    frozen_since,
    look_at,
    view_of,
)
from contest.board.game_boards import boards_csv, boards_data, of_track
from contest.board.game_matrix import matrices
from contest.jobs.queue_estimates import wait_for
from contest.models import AttackRun, Job, Round
from contest.pages.games.rules import rules_context
from contest.pages.introduction import introduction
from contest.pages.top_rows import podium_of
from contest.play.table import Table
from contest.services.attacks import unfilled_cells
from contest.views.fragments import fragment_answer
from contest.views.games.absent import needs_game
from contest.views.picture_files import as_file
from contest.views.requests import PageRequest, asked_track


@needs_game
def leaderboard(request: PageRequest, round_: Round) -> HttpResponse:
    """All boards of a round; requested by htmx, only the part that changes."""
    look = look_at(request.user, round_, access.team_of(request.user, round_.contest))
    if request.htmx and request.GET.get("version") == look.version:
        return HttpResponse(status=204)
    context = boards_context(look, request.GET.dict())
    board = fragment_of(look, context)
    if request.htmx:
        return fragment_answer(request, board)
    declared = Table(round_).declared
    context |= {
        **podium_of(round_),
        "board_html": board.html,
        "introduction": introduction(round_),
        "declared": declared,
        "is_hiding": declared.phases != "seek",
    }
    return render(request, "contest/games/boards.html", context)


@needs_game
def map_file(request: PageRequest, round_: Round, form: str) -> HttpResponse:
    """The map of the boards as a file, with the axes that the address asks for."""
    look = look_at(request.user, round_, access.team_of(request.user, round_.contest))
    found = boards_map(look, view_of(look, request.GET.dict()))
    if found is None:
        raise Http404
    return as_file(found.chart, form)


@needs_game
def export(request: PageRequest, round_: Round, kind: str) -> HttpResponse:
    """The boards as the reader may see them, as CSV or JSON."""
    look = look_at(request.user, round_, access.team_of(request.user, round_.contest))
    counted = look.counted()
    tracked = bool(round_.contest.tracks)
    boards = of_track(counted.boards, asked_track(request, round_.contest))
    if kind == "csv":
        answer = HttpResponse(boards_csv(boards, tracked), content_type="text/csv; charset=utf-8")
    elif kind == "json":
        facts = {
            "contest": round_.contest.slug,
            "round": round_.slug,
            "game": str(round_.game),
            "rule": round_.ranking,
            "version": look.version,
            "frozen_since": frozen.isoformat() if (frozen := frozen_since(look)) else None,
            "as_of": counted.made_at.isoformat() if counted.made_at else None,
        }
        answer = JsonResponse({**facts, "boards": boards_data(boards, tracked)})
    else:
        raise Http404
    name = f"{round_.contest.slug}-{round_.slug}-boards.{kind}"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@needs_game
def matrix_page(request: PageRequest, round_: Round) -> HttpResponse:
    """Who finds whom, one table per challenge; requested by htmx, only the part that changes."""
    version = access.matrix_version(request.user, round_)
    if request.htmx and request.GET.get("version") == version:
        return HttpResponse(status=204)
    shown = access.sees_attacks(request.user, round_)
    cells = unfilled_cells(round_) if shown else AttackRun.objects.none()
    context = {
        "contest": round_.contest,
        "round": round_,
        "matrices": matrices(round_, Table(round_).declared) if shown else None,
        "n_waiting": cells.count(),
        "wait": wait_for(Job.objects.filter(attack_run__in=cells)) if shown else None,
        "version": version,
    }
    template = "contest/games/_matrix.html" if request.htmx else "contest/games/matrix.html"
    return render(request, template, context)


@needs_game
def rules(request: PageRequest, round_: Round) -> HttpResponse:
    return render(request, "contest/games/rules.html", rules_context(round_))
