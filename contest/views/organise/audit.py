from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.audit import AuditSearchForm
from contest.models import AuditEvent, Contest
from contest.services.audit import extend_chain, verify_chain
from contest.views.requests import UserRequest

ROWS_A_PAGE = 100


@login_required
@require_safe
def audit_log(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return render(request, "contest/organise/audit.html", _context(request, contest))


@login_required
@require_POST
def verify_audit(request: UserRequest, slug: str) -> HttpResponse:
    """Compute every hash of the chain again."""
    contest = access.organised_contest_for(request.user, slug)
    extend_chain(contest.pk)
    number, problem = verify_chain(contest.pk)
    context = _context(request, contest) | {"verified": True, "n_sound": number, "problem": problem}
    return render(request, "contest/organise/audit.html", context)


def _context(request: UserRequest, contest: Contest) -> dict[str, Any]:
    form = AuditSearchForm(contest, request.GET)
    page = Paginator(_found(contest, form), ROWS_A_PAGE).get_page(request.GET.get("page"))
    kept = request.GET.copy()
    kept.pop("page", None)
    return {
        "contest": contest,
        "here": "audit",
        "form": form,
        "page": page,
        "query": kept.urlencode(),
        "rows": [
            {"event": event, "before": _shown(event.before), "after": _shown(event.after)}
            for event in page.object_list
        ],
    }


def _found(contest: Contest, form: AuditSearchForm) -> QuerySet[AuditEvent]:
    events = AuditEvent.objects.filter(contest=contest).order_by("-pk")
    if not form.is_valid():
        return events
    wanted = form.cleaned_data
    if wanted["verb"]:
        events = events.filter(verb=wanted["verb"])
    if wanted["since"]:
        events = events.filter(at__date__gte=wanted["since"])
    if wanted["until"]:
        events = events.filter(at__date__lte=wanted["until"])
    for word in wanted["words"].split():
        events = events.filter(
            Q(verb__icontains=word)
            | Q(subject__icontains=word)
            | Q(actor_name__icontains=word)
            | Q(reason__icontains=word)
        )
    return events


def _shown(facts: dict[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, sort_keys=True) if facts else ""
