from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.models import Job, Signal
from contest.services.signals import can_look, request_signals
from contest.views.requests import UserRequest


@login_required
@require_safe
def signals(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    related = ("entry__team", "other__team", "attack__team", "other_attack__team")
    rounds = []
    for round_ in contest.rounds.select_related("dataset"):
        looked = Job.objects.filter(kind=Job.Kind.SIGNALS, payload__round=round_.pk).order_by("-id").first()
        found = list(Signal.objects.filter(round=round_).select_related(*related))
        for signal in found:
            signal.round = signal.entry.round = round_
            round_.contest = contest
        rounds.append({"round": round_, "signals": found, "looked": looked, "can_look": can_look(round_)})
    context = {"contest": contest, "here": "signals", "rounds": rounds}
    return render(request, "contest/organise/signals.html", context)


@login_required
@require_POST
def look(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.organised_round_for(request.user, slug, round_slug)
    try:
        request_signals(round_, request.user)
    except Refused as refusal:
        messages.error(request, refusal.text)
    else:
        messages.success(request, _("A worker is looking now. Come back in a minute."))
    return redirect("organise_signals", slug)
