from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.board.tracks import track_titles
from contest.forms.organise import MergeForm, TeamActForm
from contest.models import Contest, Team, User
from contest.services import team_status
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest

ACTS: dict[str, Callable[[Team, User, str], None]] = {
    "approve": team_status.approve_team,
    "lock": team_status.lock_team,
    "unlock": team_status.unlock_team,
    "remove": team_status.remove_team,
    "restore": team_status.restore_team,
}


@login_required
@require_safe
def teams(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    return _page(request, contest, MergeForm(contest))


def _page(request: UserRequest, contest: Contest, merge: MergeForm, status: int = 200) -> HttpResponse:
    found = Team.objects.filter(contest=contest, is_house=False).select_related("merged_into")
    people = found.prefetch_related("memberships__user").order_by("name_key")
    context = {
        "contest": contest,
        "here": "teams",
        "teams": people.annotate(
            n_entries=Count("entries", distinct=True),
            n_valid=Count("entries", filter=Q(entries__state="valid"), distinct=True),
        ),
        "track_titles": track_titles(contest),
        "form": TeamActForm(),
        "merge_form": merge,
    }
    return render(request, "contest/organise/teams.html", context, status=status)


@login_required
@require_POST
def act_on_teams(request: UserRequest, slug: str) -> HttpResponse:
    """Do one thing to the chosen teams, each in a transaction of its own."""
    contest = access.organised_contest_for(request.user, slug)
    form = TeamActForm(request.POST)
    chosen = access.teams_of(contest, request.POST.getlist("team"))
    if not form.is_valid():
        show_errors(request, form)
    elif not chosen:
        messages.error(request, _("Choose at least one team."))
    else:
        done = 0
        for team in chosen:
            with refusal_shown(request):
                ACTS[form.cleaned_data["act"]](team, request.user, form.cleaned_data["reason"])
                done += 1
        if done:
            said = ngettext("%(n)s team is changed.", "%(n)s teams are changed.", done)
            messages.success(request, said % {"n": done})
    return redirect("organise_teams", slug)


@login_required
@require_POST
def merge(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = MergeForm(contest, request.POST)
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    data = form.cleaned_data
    with refusal_shown(request):
        team_status.merge_teams(data["source"], data["target"], request.user, data["reason"])
        said = _("%(source)s is now part of %(target)s.")
        messages.success(request, said % {"source": data["source"].name, "target": data["target"].name})
    return redirect("organise_teams", slug)
