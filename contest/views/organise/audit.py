from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.audit import AuditSearchForm
from contest.language.moments import times_told
from contest.models import AuditEvent, Contest
from contest.records.audit import extend_chain, verify_chain
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
    events = AuditEvent.objects.filter(contest=contest).order_by("-pk")
    found = form.narrowed(events) if form.is_valid() else events
    page = Paginator(found, ROWS_A_PAGE).get_page(request.GET.get("page"))
    kept = request.GET.copy()
    kept.pop("page", None)
    return {
        "contest": contest,
        "here": "audit",
        "form": form,
        "page": page,
        "query": kept.urlencode(),
        "rows": [
            {
                "event": event,
                "before": times_told(_shown(event.before), contest.zone),
                "after": times_told(_shown(event.after), contest.zone),
            }
            for event in page.object_list
        ],
    }


def _shown(facts: dict[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, sort_keys=True) if facts else ""
