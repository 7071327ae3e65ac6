from __future__ import annotations

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render

from contest import access
from contest.board.game_boards import boards_csv, boards_data, counted_boards, game_map, version_of
from contest.board.game_matrix import matrices
from contest.jobs.queue_estimates import wait_for
from contest.models import AttackRun, Job, Round
from contest.pages.games.rules import rules_context
from contest.play.table import Table
from contest.services.attacks import unfilled_cells
from contest.views.games.absent import needs_game
from contest.views.requests import PageRequest


@needs_game
def leaderboard(request: PageRequest, round_: Round) -> HttpResponse:
    """All boards of a round; requested by htmx, only the part that changes."""
    version = version_of(request.user, round_)
    if request.htmx and request.GET.get("version") == version:
        return HttpResponse(status=204)
    team = access.team_of(request.user, round_.contest)
    declared = Table(round_).declared
    context = {
        "contest": round_.contest,
        "round": round_,
        "declared": declared,
        "rule": next((rule for rule in declared.rules if rule.name == round_.ranking), None),
        "counted": counted_boards(request.user, round_, team),
        "map": game_map(request.user, round_, team),
        "version": version,
        "path": round_.get_absolute_url(),
    }
    template = "contest/games/_boards.html" if request.htmx else "contest/games/boards.html"
    return render(request, template, context)


@needs_game
def export(request: PageRequest, round_: Round, kind: str) -> HttpResponse:
    """The boards as the reader may see them, as CSV or JSON."""
    counted = counted_boards(request.user, round_, access.team_of(request.user, round_.contest))
    if kind == "csv":
        answer = HttpResponse(boards_csv(counted.boards), content_type="text/csv; charset=utf-8")
    elif kind == "json":
        facts = {
            "contest": round_.contest.slug,
            "round": round_.slug,
            "game": str(round_.game),
            "rule": round_.ranking,
            "version": version_of(request.user, round_),
            "as_of": counted.made_at.isoformat() if counted.made_at else None,
        }
        answer = JsonResponse({**facts, "boards": boards_data(counted.boards)})
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
