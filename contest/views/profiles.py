"""Pages about teams and people for everybody."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contest import access
from contest.pages.team_history import profile_context, team_context
from contest.views.requests import PageRequest


@require_safe
def public_team(request: PageRequest, slug: str, team_id: int) -> HttpResponse:
    team = access.public_team_for(request.user, slug, team_id)
    return render(request, "contest/public_team.html", team_context(team))


@require_safe
def profile(request: PageRequest, user_id: int) -> HttpResponse:
    """A person who chose to have a public profile; everybody else does not exist here."""
    return render(request, "contest/profile.html", profile_context(access.profile_of(user_id)))
