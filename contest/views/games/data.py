from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.board import queries
from contest.errors import Refused
from contest.kit.build import kit_answer
from contest.models import Phase, Round
from contest.numbers import whole_number
from contest.pages.games.data import data_context, download_answer, file_answer, may_choose
from contest.services.alternatives import choose_variant
from contest.views.games.absent import needs_game
from contest.views.requests import PageRequest, UserRequest


def _game_round(request: PageRequest, slug: str, round_slug: str) -> Round:
    round_ = access.round_for(request.user, slug, round_slug)
    if round_.game_id is None:
        raise Http404
    return round_


@needs_game
def data_page(request: PageRequest, round_: Round) -> HttpResponse:
    phase = queries.open_phase(round_, Phase.Kind.ANONYMISE)
    context = data_context(request.user, round_)
    context["may_choose"] = may_choose(round_, context["seat"], phase)
    return render(request, "contest/games/data.html", context)


@needs_game
def download(request: PageRequest, round_: Round, name: str) -> HttpResponseBase:
    """All public files of a round, or all of the own seat, in one zip; or one file by its name."""
    return download_answer(request.user, round_, name)


@needs_game
def kit(request: PageRequest, round_: Round) -> HttpResponseBase:
    return kit_answer(request.user, round_)


@require_safe
def round_file(request: PageRequest, slug: str, round_slug: str, name: str) -> FileResponse:
    """One file of a round; the names of a game's files may have folders in them."""
    return file_answer(access.round_file_for(request.user, _game_round(request, slug, round_slug), name))


@require_safe
def seat_file(request: PageRequest, slug: str, round_slug: str, number: int, name: str) -> FileResponse:
    round_ = _game_round(request, slug, round_slug)
    return file_answer(access.seat_file_for(request.user, round_, number, name))


@require_safe
def entry_file(request: PageRequest, slug: str, round_slug: str, entry_id: int, name: str) -> FileResponse:
    """A file of an entry that attackers may read."""
    round_ = _game_round(request, slug, round_slug)
    return file_answer(access.target_file_for(request.user, slug, round_slug, round_, entry_id, name))


@login_required
@require_POST
def choose(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """A team chooses from which of its alternatives it plays."""
    round_ = _game_round(request, slug, round_slug)
    team = access.own_team_for(request.user, round_.contest)
    wanted = whole_number(request.POST.get("alternative", "")) or 0
    try:
        choose_variant(round_, team, request.user, wanted - 1)
        messages.success(request, _("Your team plays with alternative %(n)s.") % {"n": wanted})
    except Refused as refusal:
        messages.error(request, refusal.text)
    return redirect("dataset", slug, round_slug)
