from __future__ import annotations

import tempfile
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.archive.importing import archive_contest
from contest.board import queries
from contest.errors import Refused
from contest.models import Contest, Team
from contest.views.requests import UserRequest


@login_required
@require_safe
def archive(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return render(request, "contest/organise/archive.html", _context(contest))


@login_required
@require_POST
def write_archive(request: UserRequest, slug: str) -> HttpResponseBase:
    """Write the archive and send it."""
    contest = access.organised_contest_for(request.user, slug)
    target = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
    try:
        archive_contest(contest, target, request.user)
    except Refused as refusal:
        target.close()
        context = _context(contest) | {"refusal": refusal.text}
        return render(request, "contest/organise/archive.html", context, status=409)
    target.seek(0)
    return FileResponse(
        target, as_attachment=True, filename=f"{contest.slug}.zip", content_type="application/zip"
    )


def _context(contest: Contest) -> dict[str, Any]:
    counts = queries.job_counts(contest)
    teams = Team.objects.filter(contest=contest, is_house=False)
    return {
        "contest": contest,
        "here": "archive",
        "n_under_way": counts.get("queued", 0) + counts.get("running", 0),
        "n_teams": teams.count(),
        "silent": teams.filter(in_archive=False).order_by("name"),
        "open_rounds": [round_ for round_ in contest.rounds.all() if round_.revealed_at is None],
    }
