"""The games of a contest: uploaded, tried, and rounds that are played by them."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.games.rounds import GameRoundForm, SourcesForm, UploadGameForm
from contest.models import Contest, GamePackage, Trial
from contest.pages.games.packages import (
    chosen_preset,
    declared_by,
    declared_in_round,
    game_rounds,
    game_shown,
    installed_for,
    offered_games,
    uncounted_rounds,
)
from contest.services.game_contests import add_game_round
from contest.services.game_packages import try_again, upload_game
from contest.services.game_rounds import bring_sources
from contest.views.organise.acts import refusal_shown
from contest.views.organise.games.new import add_refusal
from contest.views.requests import UserRequest


@login_required
@require_safe
def games(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return _games(request, contest, UploadGameForm())


def _games(request: UserRequest, contest: Contest, form: UploadGameForm, status: int = 200) -> HttpResponse:
    uploaded = GamePackage.objects.filter(contest=contest).order_by("-id")
    trials = Trial.objects.filter(round__contest=contest).select_related("round", "game", "game_before")
    context = {
        "contest": contest,
        "here": "games",
        "form": form,
        "games": [game_shown(package) for package in uploaded],
        "offered": offered_games(),
        "rounds": game_rounds(contest),
        "uncounted": uncounted_rounds(contest),
        "trials": trials[:20],
    }
    return render(request, "contest/organise/games/games.html", context, status=status)


@login_required
@require_POST
def upload(request: UserRequest, slug: str) -> HttpResponse:
    """Take the zip of a game; what is wrong with it is said at once, its examples are run by a worker."""
    contest = access.organised_contest_for(request.user, slug)
    form = UploadGameForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            package = upload_game(contest, request.user, form.cleaned_data["game"].file)
        except Refused as refusal:
            form.add_error("game", refusal.text)
        else:
            messages.success(request, _("Uploaded. A worker runs its examples in the sandbox now."))
            return redirect("organise_game", slug, package.pk)
    return _games(request, contest, form, status=422)


@login_required
@require_safe
def game(request: UserRequest, slug: str, package_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    package = access.game_of(contest, package_id)
    context = {"contest": contest, "here": "games", **game_shown(package)}
    return render(request, "contest/organise/games/game.html", context)


@login_required
@require_POST
def again(request: UserRequest, slug: str, package_id: int) -> HttpResponse:
    """Run the examples and laws once more."""
    contest = access.organised_contest_for(request.user, slug)
    package = access.game_of(contest, package_id)
    with refusal_shown(request):
        try_again(package, request.user)
        messages.success(request, _("A worker runs its examples in the sandbox now."))
    return redirect("organise_game", slug, package_id)


@login_required
@require_http_methods(["GET", "POST"])
def add_round(request: UserRequest, slug: str, package_id: int) -> HttpResponse:
    """A round by a game that was uploaded to this contest."""
    contest = access.organised_contest_for(request.user, slug)
    return _add_round(request, contest, access.game_of(contest, package_id))


@login_required
@require_http_methods(["GET", "POST"])
def add_installed_round(request: UserRequest, slug: str, name: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return _add_round(request, contest, installed_for(name)[0])


def _add_round(request: UserRequest, contest: Contest, package: GamePackage) -> HttpResponse:
    declared = declared_by(package)
    chosen = chosen_preset(package, request.GET.get("preset"))
    given = (request.POST or None, request.FILES or None)
    form = GameRoundForm(declared, contest.time_zone, *given, preset=chosen["preset"])
    if request.method == "POST" and form.is_valid():
        try:
            add_game_round(contest, request.user, package, form.planned())
        except Refused as refusal:
            add_refusal(form, refusal)
        else:
            messages.success(request, _("The round is added; a worker makes its data now."))
            return redirect("organise_games", contest.slug)
    context = {"contest": contest, "here": "games", "declared": declared, "form": form, **chosen}
    context["package"] = package
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/organise/games/add_round.html", context, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def data(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """The data of a round: being made, ready, or failed; then organisers bring their files again."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    declared = declared_in_round(round_)
    is_sent = request.method == "POST"
    # A game may want no file at all; then there is nothing to send but the button.
    form = SourcesForm(declared, *((request.POST, request.FILES) if is_sent else ()))
    if is_sent and form.is_valid():
        try:
            bring_sources(round_, request.user, form.sources)
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            messages.success(request, _("A worker makes the data of the round now."))
            return redirect("organise_game_data", slug, round_slug)
    context = {"contest": round_.contest, "here": "games", "round": round_, "form": form}
    status = 422 if is_sent else 200
    return render(request, "contest/organise/games/data.html", context, status=status)
