from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.board.board_cache import board_context, fragment, polled_round
from contest.pages.introduction import introduction
from contest.pages.top_rows import podium_of
from contest.views.fragments import fragment_answer
from contest.views.games import boards as games
from contest.views.requests import PageRequest


@require_safe
def leaderboard(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """The board; requested by htmx, only its table, or nothing where the page shows the newest already."""
    shown = request.GET.get("version", "")
    if request.htmx:
        round_ = polled_round(request.user, slug, round_slug, shown)
        if round_.game_id is not None:
            # What organisers see may be newer than what is remembered for everybody.
            return games.leaderboard(request, access.round_for(request.user, slug, round_slug))
        if shown == str(round_.board_version):
            return HttpResponse(status=204)
    else:
        round_ = access.round_for(request.user, slug, round_slug)
        if round_.game_id is not None:
            return games.leaderboard(request, round_)
    team = access.team_of(request.user, round_.contest)
    context = board_context(round_, team, request.GET.dict())
    board = fragment(round_, context)
    if request.htmx:
        return fragment_answer(request, board)
    page = {
        **context,
        **podium_of(round_),
        "board_html": board.html,
        "introduction": introduction(round_),
    }
    return render(request, "contest/leaderboard.html", page)
