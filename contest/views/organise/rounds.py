"""Adding a round to a contest, moving all of it, or removing one that nobody has played."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from contest import access
from contest.forms.settings import NewRoundForm, RemovalForm, ShiftForm
from contest.services import rounds, shifts
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
def shift_round(request: UserRequest, slug: str, round_slug: str) -> HttpResponse:
    """Move everything of a round that is still to come."""
    round_ = access.organised_round_for(request.user, slug, round_slug)
    form = ShiftForm(round_, request.POST or None)

    def keep(version: int, given: object, reason: str) -> None:
        shifts.shift_round(round_, request.user, version, form.by, reason, plan=form.plan)

    edited = Edited(
        round_, form, lambda given: given, lambda changes: shifts.of_shift(round_, form.by), keep, dict
    )
    title = _("Move all of %(round)s") % {"round": round_.name}
    place = {"here": "timeline", "back": "organise_timeline"}
    context = {"contest": round_.contest, "title": title, "act": _("Move it"), **place}
    return edit(request, round_.contest, edited, context)


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
