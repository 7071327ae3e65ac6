from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.models import Round
from contest.pages.games.methods import methods_context
from contest.views.games.absent import needs_game
from contest.views.requests import PageRequest


@require_safe
def methods(request: PageRequest, slug: str, round_slug: str) -> HttpResponse:
    """What the game of a round brings along; rounds without a game have the methods of the house."""
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is None:
        raise Http404
    return _shown(request, round_)


@needs_game
def _shown(request: PageRequest, round_: Round) -> HttpResponse:
    return render(request, "contest/games/methods.html", methods_context(round_))
