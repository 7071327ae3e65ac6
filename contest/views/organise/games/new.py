"""A new contest by a game: an installed one with its first round, or one that is uploaded first."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from contest import access
from contest.errors import Refused
from contest.forms.games.rounds import GameContestForm, UploadedGameContestForm
from contest.pages.games.packages import chosen_preset, installed_for
from contest.services.game_contests import create_game_contest, create_upload_contest
from contest.views.requests import UserRequest


@login_required
@require_http_methods(["GET", "POST"])
def from_game(request: UserRequest, name: str) -> HttpResponse:
    """A contest whose first round is played by an installed game."""
    access.require_may_create(request.user)
    package, declared = installed_for(name)
    chosen = chosen_preset(package, request.GET.get("preset"))
    given = (request.POST or None, request.FILES or None)
    form = GameContestForm(declared, *given, preset=chosen["preset"])
    if request.method == "POST" and form.is_valid():
        try:
            contest = create_game_contest(request.user, package, form.planned(), **form.contest())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Created; a worker makes the data of the first round now."))
            return redirect("organise_games", contest.slug)
    return _page(request, "new_from_game", {"form": form, "declared": declared, **chosen})


def add_refusal(form: forms.Form, refusal: Refused) -> None:
    """Show a refusal at the field that it is about."""
    fields = {"slug-taken": "slug", "bad-game": "game"}
    field = fields.get(refusal.code)
    form.add_error(field if field in form.fields else None, refusal.text)


def _page(request: UserRequest, template: str, context: dict[str, object]) -> HttpResponse:
    status = 422 if request.method == "POST" else 200
    return render(request, f"contest/organise/games/{template}.html", context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def from_upload(request: UserRequest) -> HttpResponse:
    """A contest that holds an uploaded game and no round yet."""
    access.require_may_create(request.user)
    form = UploadedGameContestForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            upload = form.cleaned_data["game"]
            contest = create_upload_contest(request.user, upload.file, **form.contest())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("Uploaded. A worker runs its examples in the sandbox now."))
            return redirect("organise_games", contest.slug)
    return _page(request, "new_from_upload", {"form": form})
