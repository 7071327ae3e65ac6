from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from attacks.sandbox import examine
from contest import access
from contest.board import queries
from contest.forms.games.rounds import GameAttackForm
from contest.forms.organise import HouseAttackForm
from contest.models import AttackRun
from contest.pages.games.packages import declared_rounds
from contest.services.attacks import add_house_attack, rerun, set_attack_active
from contest.views.organise.acts import show_errors
from contest.views.requests import UserRequest


@login_required
@require_safe
def attacks(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    context = {
        "contest": contest,
        "here": "attacks",
        "attacks": queries.attack_states(contest),
        "sandbox": examine(settings.SANDBOX, accept_uncounted=settings.ACCEPT_UNCOUNTED_PROGRAMS),
        "form": HouseAttackForm(contest),
        "has_format_rounds": contest.rounds.filter(game=None).exists(),
        "game_forms": [
            (round_, GameAttackForm(declared, auto_id=f"id_{round_.pk}_%s"))
            for round_, declared in declared_rounds(contest)
            if declared.attacks
        ],
    }
    return render(request, "contest/organise/attacks.html", context)


@login_required
@require_POST
def add_attack(request: UserRequest, slug: str) -> HttpResponse:
    """Let a house attack take part in a round; entries that are valid already are attacked too."""
    contest = access.organised_contest_for(request.user, slug)
    form = HouseAttackForm(contest, request.POST)
    if form.is_valid():
        add_house_attack(form.cleaned_data["round"], form.cleaned_data["attack"], request.user)
        messages.success(request, _("The attack takes part."))
    else:
        show_errors(request, form)
    return redirect("organise_attacks", slug)


@login_required
@require_POST
def steer_attack(request: UserRequest, slug: str, attack_id: int) -> HttpResponse:
    """Stop or resume an attack, or run all or the failed cells of its row again."""
    contest = access.organised_contest_for(request.user, slug)
    attack = access.attack_of(contest, attack_id)
    act = request.POST.get("act")
    if act in {"stop", "resume"}:
        set_attack_active(attack, request.user, act == "resume")
    elif act in {"rerun", "rerun-failed"}:
        runs = attack.runs.select_related("attack", "entry__round__contest")
        chosen = runs.filter(state=AttackRun.State.FAILED) if act == "rerun-failed" else runs
        n = rerun(list(chosen), request.user, request.POST.get("reason", "")[:300])
        messages.success(request, _("%(n)s runs are queued again.") % {"n": n})
    return redirect("organise_attacks", slug)


@login_required
@require_POST
def rerun_runs(request: UserRequest, slug: str) -> HttpResponse:
    """Run one cell of the matrix again, or the whole column of an entry."""
    contest = access.organised_contest_for(request.user, slug)
    runs = access.runs_of(contest, request.POST.get("run"), request.POST.get("entry"))
    n = rerun(runs, request.user, request.POST.get("reason", "")[:300])
    messages.success(request, _("%(n)s runs are queued again.") % {"n": n})
    return redirect(runs[0].attack if request.POST.get("run") else runs[0].entry)
