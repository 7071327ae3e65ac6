from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from contest import access, queries
from contest.errors import Refused
from contest.forms.teams import TeamForm
from contest.models import Entry, Phase, Round
from contest.services import teams
from contest.services.attempts import count_attempts
from contest.views.requests import UserRequest


@login_required
@require_http_methods(["GET", "POST"])
def create(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.contest_for(request.user, slug)
    mine = access.team_of(request.user, contest)
    if mine is not None:
        return redirect(mine)
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            team = teams.create_team(contest, request.user, form.cleaned_data["name"])
        except Refused as refusal:
            form.add_error("name", refusal.text)
        else:
            messages.success(request, _("Team %(name)s is ready.") % {"name": team.name})
            return redirect(team)
    status = 422 if request.method == "POST" else 200
    return render(request, "contest/team_form.html", {"contest": contest, "form": form}, status=status)


@login_required
@require_safe
@never_cache
def team(request: UserRequest, slug: str, team_id: int) -> HttpResponse:
    found = access.team_for(request.user, slug, team_id)
    token = request.session.pop("new_invitation", None)
    rounds = list(found.contest.rounds.select_related("dataset"))
    entries = list(Entry.objects.filter(team=found).order_by("-received_at"))
    for round_ in rounds:
        round_.contest = found.contest
    by_id = {round_.pk: round_ for round_ in rounds}
    for entry in entries:
        entry.round = by_id[entry.round_id]
        entry.team = found
    acting = _acting_round(rounds)
    context = {
        "contest": found.contest,
        "team": found,
        "members": found.memberships.select_related("user").order_by("id"),
        "invitations": found.invitations.filter(revoked_at=None, expires_at__gt=timezone.now()),
        "invitation_url": request.build_absolute_uri(reverse("join", args=[token])) if token else None,
        "rounds": [_round_card(round_) for round_ in rounds],
        "round": acting,
        "attempts": count_attempts(acting, found) if acting else None,
        "entries": entries,
    }
    return render(request, "contest/team.html", context)


def _acting_round(rounds: list[Round]) -> Round | None:
    """The round whose attempts are shown: the first that takes entries now."""
    return next((round_ for round_ in rounds if queries.open_phase(round_, Phase.Kind.ANONYMISE)), None)


def _round_card(round_: Round) -> dict[str, Any]:
    phase = queries.open_phase(round_, Phase.Kind.ANONYMISE)
    return {
        "name": round_.name,
        "get_absolute_url": round_.get_absolute_url(),
        "action_label": _("Upload an entry") if phase else "",
        "action_url": reverse("upload", args=[round_.contest.slug, round_.slug]) if phase else None,
        "until": phase.ends_at if phase else None,
    }


@login_required
@require_POST
def invite(request: UserRequest, slug: str, team_id: int) -> HttpResponse:
    """Make an invitation; its link is shown once, on the next page."""
    team = access.own_team_for(request.user, slug, team_id)
    request.session["new_invitation"] = teams.create_invitation(team, request.user)
    return redirect(team)


@login_required
@require_POST
def revoke(request: UserRequest, slug: str, team_id: int, invitation_id: int) -> HttpResponse:
    team = access.own_team_for(request.user, slug, team_id)
    invitation = access.invitation_of(team, invitation_id)
    teams.revoke_invitation(invitation, request.user)
    messages.success(request, _("The invitation no longer works."))
    return redirect(team)


@login_required
@require_http_methods(["GET", "POST"])
def join(request: UserRequest, token: str) -> HttpResponse:
    invitation = access.invitation_for(token)
    if request.method == "POST":
        try:
            joined = teams.join_team(invitation, request.user)
        except Refused as refusal:
            messages.error(request, refusal.text)
            return redirect(invitation.team.contest)
        messages.success(request, _("Welcome to %(name)s.") % {"name": joined.name})
        return redirect(joined)
    context = {"invitation": invitation, "team": invitation.team, "contest": invitation.team.contest}
    return render(request, "contest/join.html", context)
