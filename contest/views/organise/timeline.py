from __future__ import annotations

import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.phases import FORMS, NewPhaseForm, PhaseForm
from contest.models import Phase, Round
from contest.pages.timeline import bars
from contest.services import phases
from contest.services.odd_times import remarks_on
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_safe
def timeline(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    now = timezone.now()
    rounds = list(Round.objects.filter(contest=contest).prefetch_related("phases"))
    drawn = bars([list(round_.phases.all()) for round_ in rounds], contest.zone, now)
    shown = []
    for round_, rows in zip(rounds, drawn.rows, strict=True):
        round_.contest = contest
        phases_ = [
            {"phase": row.phase, "bar": row, "state": row.state, **_beside(row.phase, row.state, now)}
            for row in rows
        ]
        row = {"round": round_, "phases": phases_, "may_publish": phases.may_publish(round_)}
        row["may_shift"] = any(it.state in ("planned", "open") for it in rows)
        shown.append({**row, "form": NewPhaseForm(round_, auto_id=f"id_{round_.pk}_add_%s")})
    context = {
        "contest": contest,
        "here": "timeline",
        "rounds": shown,
        "ticks": drawn.ticks,
        "now": drawn.now,
    }
    return render(request, "contest/organise/timeline.html", context)


ACTS = {
    "planned": ("open", "move", "remove"),
    "open": ("close", "extend"),
    "over": ("extend", "reopen"),
    "closed": ("reopen",),
}
"""What may be done to a phase. `over` is one whose end the clock has not marked yet."""


def _beside(phase: Phase, state: str, now: datetime.datetime) -> dict[str, object]:
    """What the page says of a phase, and what may be done to it."""
    is_to_come = state in ("planned", "open")
    return {
        "forms": _forms(phase, state),
        "remarks": remarks_on([phase], phase.round.contest.zone) if is_to_come else [],
        "between": phases.said_between(phase, now) if state == "planned" else [],
    }


def _forms(phase: Phase, state: str) -> list[tuple[str, PhaseForm]]:
    return [(act, FORMS[act](phase, auto_id=f"id_{phase.pk}_{act}_%s")) for act in ACTS[state]]


@login_required
@require_POST
def move_phase(request: UserRequest, slug: str, phase_id: int, act: str) -> HttpResponse:
    """Open, close, extend, move, re-open or remove a phase as the organiser saw it."""
    contest = access.organised_contest_for(request.user, slug)
    phase = access.phase_of(contest, phase_id)
    if act not in FORMS:
        return redirect("organise_timeline", slug)
    form = FORMS[act](phase, request.POST)
    if not form.is_valid():
        show_errors(request, form)
        return redirect("organise_timeline", slug)
    with refusal_shown(request):
        _move(request, form.seen(), act, form.cleaned_data)
        messages.success(request, _("Done; the clock does what follows from it."))
    return redirect("organise_timeline", slug)


def _move(request: UserRequest, phase: Phase, act: str, data: dict[str, object]) -> None:
    reason, user = str(data["reason"]), request.user
    ends_at = data.get("ends_at")
    starts_at = data.get("starts_at")
    move_later = bool(data.get("move_later"))
    if act == "open":
        phases.open_phase(phase, user, reason)
    elif act == "close":
        phases.close_phase(phase, user, reason)
    elif act == "remove":
        phases.remove_phase(phase, user, reason)
    else:
        assert isinstance(ends_at, datetime.datetime)
        if act == "extend":
            phases.extend_phase(phase, user, ends_at, reason, move_later=move_later)
        elif act == "reopen":
            phases.reopen_phase(phase, user, ends_at, reason, move_later=move_later)
        else:
            assert isinstance(starts_at, datetime.datetime)
            phases.move_phase(phase, user, starts_at, ends_at, reason)


@login_required
@require_POST
def add_phase(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Add a missing phase to a round."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    form = NewPhaseForm(round_, request.POST)
    if not form.is_valid():
        show_errors(request, form)
        return redirect("organise_timeline", slug)
    with refusal_shown(request):
        data = form.cleaned_data
        phases.add_phase(round_, request.user, data["version"], form.span(), data["reason"])
        messages.success(request, _("Done; the clock does what follows from it."))
    return redirect("organise_timeline", slug)


@login_required
@require_POST
def publish(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Publish a round's results now."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    with refusal_shown(request):
        phases.publish_results(round_, request.user, request.POST.get("reason", ""))
        messages.success(request, _("The results are public."))
    return redirect("organise_timeline", slug)
