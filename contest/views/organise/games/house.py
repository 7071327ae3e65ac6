"""What the house plays in rounds of games: entries by its methods, and attacks."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from contest import access
from contest.errors import Refused
from contest.forms.games.rounds import GameAttackForm, GameMethodForm
from contest.pages.games.packages import declared_in_round
from contest.services.attacks import add_house_attack
from contest.services.house import request_house_entry
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_http_methods(["GET", "POST"])
def house_entry(request: UserRequest, slug: str, round_slug: str, method: str) -> HttpResponse:
    """Let the house make an entry by a method of the round's game."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    described = next((one for one in declared_in_round(round_).methods if one.name == method), None)
    if described is None:
        raise Http404
    # Without parameters there is nothing to send but the button.
    form = GameMethodForm(described, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            request_house_entry(round_, request.user, method, form.parameters())
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            messages.success(request, _("A worker makes the entry now and hands it in."))
            return redirect("organise_house", slug)
    context = {"contest": round_.contest, "round": round_, "method": described, "form": form}
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/organise/games/house_entry.html", context, status=status)


@login_required
@require_POST
def add_attack(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Let a house attack of the round's game take part."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    form = GameAttackForm(declared_in_round(round_), request.POST)
    if not form.is_valid():
        show_errors(request, form)
    else:
        with refusal_shown(request):
            add_house_attack(round_, form.cleaned_data["attack"], request.user)
            messages.success(request, _("The attack takes part."))
    return redirect("organise_attacks", slug)
