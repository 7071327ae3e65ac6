from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.organise import LimitsForm
from contest.models import Rescore
from contest.pages.limit_proposals import proposals
from contest.services.limit_changes import apply_rescore, discard_rescore, preview_rescore
from contest.views.organise.acts import refusal_shown
from contest.views.requests import UserRequest
from scoring.proposals import Proposal


@login_required
@require_safe
def rescores(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    found = Rescore.objects.filter(round__contest=contest).select_related("round", "requested_by")
    context = {
        "contest": contest,
        "here": "rescoring",
        "rounds": contest.rounds.filter(game=None),
        "rescores": found[:100],
    }
    return render(request, "contest/organise/rescores.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def change_limits(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Other limits: what they would change is computed first and shown for a decision."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    if round_.game_id is not None:
        # Its limits are parameters of the game.
        return redirect("organise_round_settings", slug, round_slug)
    offered = proposals(round_)
    form = LimitsForm(round_, request.POST or None, proposed=_chosen(request, offered))
    if request.method == "POST" and form.is_valid():
        try:
            rescore = preview_rescore(round_, request.user, form.limits(), form.cleaned_data["reason"])
        except Refused as refusal:
            form.add_error(None, refusal.text)
        else:
            return redirect("organise_rescore", slug, rescore.pk)
    context = {"contest": round_.contest, "here": "rescoring", "round": round_, "form": form}
    context["proposals"] = offered
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/organise/limits.html", context, status=status)


def _chosen(request: UserRequest, offered: list[Proposal]) -> Proposal | None:
    """The proposal with which the form is to be filled in."""
    wanted = request.GET.get("kept_by", "")
    return next((proposal for proposal in offered if str(proposal.kept_by) == wanted), None)


@login_required
@require_safe
def rescore(request: UserRequest, slug: str, rescore_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    found = access.rescore_of(contest, rescore_id)
    context = {
        "contest": contest,
        "here": "rescoring",
        "rescore": found,
        "round": found.round,
        "is_open": found.state in {Rescore.State.MEASURING, Rescore.State.READY},
        "summary": summary_of(found.preview),
    }
    return render(request, "contest/organise/rescore.html", context)


def summary_of(preview: list[dict[str, Any]]) -> dict[str, int]:
    """How many entries a change makes invalid or valid, and how many it moves on the board."""
    states = [(row["before"]["state"], row["after"]["state"]) for row in preview]
    return {
        "invalid": states.count(("valid", "invalid")),
        "valid": states.count(("invalid", "valid")),
        "moved": sum(row["before"]["rank"] != row["after"]["rank"] for row in preview),
    }


@login_required
@require_POST
def decide(request: UserRequest, slug: str, rescore_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    found = access.rescore_of(contest, rescore_id)
    with refusal_shown(request):
        if request.POST.get("act") == "apply":
            n = apply_rescore(found, request.user)
            said = ngettext("Applied: %(n)s entry has changed.", "Applied: %(n)s entries have changed.", n)
            messages.success(request, said % {"n": n})
        elif request.POST.get("act") == "discard":
            discard_rescore(found, request.user)
            messages.success(request, _("Discarded; nothing has changed."))
    return redirect("organise_rescore", slug, rescore_id)
