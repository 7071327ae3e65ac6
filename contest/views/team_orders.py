"""A first entry and a first attack without any file: the house makes them for a team."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from contest import access
from contest.board import queries
from contest.board.game_matrix import target_label
from contest.errors import Refused
from contest.files import vault
from contest.forms.team_orders import AttackForm, MethodForm
from contest.models import Phase, Round, Team
from contest.pages.team_orders import offer_of, offered_for_seeking, order_context
from contest.play.offers import offered_methods
from contest.play.table import has_hiding
from contest.services.attacks import targets_of
from contest.services.attempts import count_attempts
from contest.services.team_orders import request_answer, request_entry
from contest.views.games.absent import needs_game
from contest.views.requests import UserRequest

HAND_IN = "hand-in"


@login_required
@require_http_methods(["GET", "POST"])
def hide(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Let a house method hide the people."""
    return _for_team(request, slug, round_slug, _hide)


@login_required
@require_http_methods(["GET", "POST"])
def seek(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Let a house attack seek them in the entries of others."""
    return _for_team(request, slug, round_slug, _seek)


def _for_team(request: UserRequest, slug: str, round_slug: str, view: Any) -> HttpResponse:
    round_ = access.round_for(request.user, slug, round_slug)
    team = access.team_of(request.user, round_.contest)
    if team is None:
        messages.info(request, _("Create a team or join one first; entries belong to teams."))
        return redirect("team_create", slug)
    shown: HttpResponse = (view if round_.game_id is None else needs_game(view))(request, round_, team)
    return shown


def _hide(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    if not has_hiding(round_):
        raise Http404
    wanted = request.GET.get("method", "")
    method = next((one for one in offered_methods(round_) if one.name == wanted), None)
    if method is None:
        return redirect(reverse("upload", args=[round_.contest.slug, round_.slug]) + "#house")
    form = MethodForm(method, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        slot = request.GET.get("slot", "")
        asked = form.asked(
            method.name, parameters=form.parameters(), slot=slot, is_handed_in=HAND_IN in request.POST
        )
        try:
            return redirect(request_entry(round_, team, request.user, asked))
        except Refused as refusal:
            form.add_error(None, refusal.text)
    context = {
        **_place(round_, team, Phase.Kind.ANONYMISE),
        "attempts": count_attempts(round_, team),
        "method": offer_of(method),
        "form": form,
    }
    return render(request, "contest/house_hide.html", context, status=422 if form.errors else 200)


def _seek(request: UserRequest, round_: Round, team: Team) -> HttpResponse:
    offered = offered_for_seeking(round_, team)
    if not offered:
        return redirect("seek", round_.contest.slug, round_.slug)
    choices = [(one.name, f"{one.name}: {one.title}") for one in offered]
    targets = [(str(it.pk), f"{it.pk}: {target_label(it)}") for it in targets_of(round_, team)]
    given = request.POST if request.method == "POST" else None
    form = AttackForm(choices, targets, given, initial={"attack": request.GET.get("attack")})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        asked = form.asked(data["attack"], targets=data["targets"], is_handed_in=HAND_IN in request.POST)
        try:
            return redirect(request_answer(round_, team, request.user, asked))
        except Refused as refusal:
            form.add_error(None, refusal.text)
    context = {**_place(round_, team, Phase.Kind.ATTACK), "offered": offered, "form": form}
    return render(request, "contest/house_seek.html", context, status=422 if form.errors else 200)


def _place(round_: Round, team: Team, kind: Phase.Kind) -> dict[str, Any]:
    phase = queries.open_phase(round_, kind)
    return {"contest": round_.contest, "round": round_, "team": team, "phase": phase}


@login_required
@require_safe
@never_cache
def order(request: UserRequest, slug: str, round_slug: str, team_order_id: int) -> HttpResponse:
    """How far it is; once it is handed in, the page of the entry or of the attack goes on."""
    found = access.order_for(request.user, slug, round_slug, team_order_id)
    next_page = found.entry or found.attack
    if next_page is not None:
        next_page.round = found.round
        url = next_page.get_absolute_url()
        return HttpResponseClientRedirect(url) if request.htmx else redirect(url)
    template = "contest/_team_order.html" if request.htmx else "contest/team_order.html"
    return render(request, template, order_context(found))


@login_required
@require_safe
@never_cache
def files(request: UserRequest, slug: str, round_slug: str, team_order_id: int) -> FileResponse:
    """What was made, for its team alone."""
    found = access.order_for(request.user, slug, round_slug, team_order_id)
    if not found.file_sha256:
        raise Http404
    name = f"{slug}-{round_slug}-{found.method}.zip"
    return FileResponse(vault.open_order(found), as_attachment=True, filename=name)
