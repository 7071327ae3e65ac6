"""Adding a round to a contest, or removing one that nobody has played."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from contest import access
from contest.forms.settings import NewRoundForm, RemovalForm
from contest.services import rounds
from contest.views.organise.settings import Edited, edit
from contest.views.requests import UserRequest


@login_required
@require_http_methods(["GET", "POST"])
def add_round(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = NewRoundForm(contest, request.POST or None)

    def keep(version: int, given: object, reason: str) -> None:
        rounds.add_round(contest, request.user, version, form.planned(), reason)

    edited = Edited(
        contest,
        form,
        lambda given: given,
        lambda changes: rounds.of_new_round(contest, form.planned()),
        keep,
        dict,
    )
    context = {"contest": contest, "title": _("A new round"), "act": _("Add this round")}
    return edit(request, contest, edited, context)


@login_required
@require_http_methods(["GET", "POST"])
def remove_round(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    round_ = access.organised_round_for(request.user, slug, round_slug)
    edited = Edited(
        round_,
        RemovalForm(round_, request.POST or None),
        lambda given: given,
        lambda changes: rounds.of_removal(round_),
        lambda version, given, reason: rounds.remove_round(round_, request.user, version, reason),
        dict,
    )
    act = _("Remove this round")
    context = {"contest": round_.contest, "title": f"{act}: {round_.name}", "act": act}
    return edit(request, round_.contest, edited, context)
