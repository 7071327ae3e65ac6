from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.board import queries
from contest.models import AuditEvent, Entry
from contest.views.requests import UserRequest


@login_required
@require_safe
def organise(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    entries = Entry.objects.filter(round__contest=contest).select_related("team", "round__contest")
    context = {
        "contest": contest,
        "here": "overview",
        "counts": queries.job_counts(contest),
        "rounds": [
            {"round": round_, "phase": queries.current_phase(round_)} for round_ in contest.rounds.all()
        ],
        "entries": entries.order_by("-id")[:10],
        "audit": AuditEvent.objects.filter(contest=contest).select_related("actor")[:20],
    }
    return render(request, "contest/organise/overview.html", context)
