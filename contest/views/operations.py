from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from contest import access
from contest.models import Job
from contest.operations import overview
from contest.operations.doctor.examination import CHECKS, SLOW, examine
from contest.operations.doctor.machine import program_limits
from contest.views.requests import UserRequest


@login_required
@require_safe
@never_cache
def contest_operations(request: UserRequest, slug: str) -> HttpResponse:
    """For organisers: the progress of the work, and the failures of their own contest."""
    contest = access.organised_contest_for(request.user, slug)
    context = {"contest": contest, "here": "operations", **_context(access.jobs_of(contest))}
    return render(request, "contest/organise/operations.html", context)


@login_required
@require_safe
@never_cache
def site_operations(request: UserRequest) -> HttpResponse:
    """For the site's staff: everything, and a summary of what the doctor reports."""
    access.require_staff(request.user)
    quick = [name for name in CHECKS if name not in SLOW]
    context = {"findings": list(examine(quick)), **_context(Job.objects.select_related("owner"))}
    context["failures"] = overview.without_logs_of_games(context["failures"])
    return render(request, "contest/operations.html", context)


def _context(jobs: QuerySet[Job]) -> dict[str, Any]:
    return {
        "queues": overview.queues(),
        "processes": overview.processes(),
        "failures": overview.failures(jobs),
        "program_limits": program_limits(),
        **overview.facts(),
    }
