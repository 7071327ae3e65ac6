"""Another version of a game: tried on a round, shown as a difference, made live or discarded."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.phases import ReasonForm
from contest.models import Trial
from contest.pages.games.trials import trial_shown
from contest.services.trials import discard_trial, make_live, repeat_trial, try_version
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_POST
def begin(request: UserRequest, slug: str, package_id: int, round_slug: str) -> HttpResponse:
    """Let a worker try a version on all entries and answers of a round."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    package = access.game_of(round_.contest, package_id)
    try:
        made = try_version(round_, request.user, package)
    except Refused as refusal:
        messages.error(request, refusal.text)
        return redirect("organise_game", slug, package_id)
    return redirect("organise_trial", slug, made.pk)


@login_required
@require_safe
def trial(request: UserRequest, slug: str, trial_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    found = access.trial_of(contest, trial_id)
    context = {
        "contest": contest,
        "here": "games",
        "trial": found,
        "round": found.round,
        "is_open": found.state in Trial.OPEN,
        "form": ReasonForm(),
        **trial_shown(found),
    }
    return render(request, "contest/organise/games/trial.html", context)


@login_required
@require_POST
def decide(request: UserRequest, slug: str, trial_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    found = access.trial_of(contest, trial_id)
    act = request.POST.get("act")
    with refusal_shown(request):
        if act == "live":
            _make_live(request, found)
        elif act == "discard":
            discard_trial(found, request.user)
            messages.success(request, _("Discarded; nothing has changed."))
        elif act == "again":
            repeat_trial(found, request.user)
            messages.success(request, _("A worker tries the version again."))
    return redirect("organise_trial", slug, trial_id)


def _make_live(request: UserRequest, found: Trial) -> None:
    form = ReasonForm(request.POST)
    if not form.is_valid():
        show_errors(request, form)
        return
    make_live(found, request.user, form.cleaned_data["reason"])
    said = _("The round is played by %(game)s from now on; everybody can read that in the changes.")
    messages.success(request, said % {"game": found.game})
