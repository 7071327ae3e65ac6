from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.forms.awards import ConfirmAwardForm, OwnAwardForm, TopForm, UndoAwardForm
from contest.models import Contest
from contest.pages.awards import awards_context
from contest.services.awards import confirm_award, give_award, undo_award
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_safe
def awards(request: UserRequest, slug: str) -> HttpResponse:
    """What follows from the boards, what was given, and who may have which certificate."""
    contest = access.organised_contest_for(request.user, slug)
    return _page(request, contest, OwnAwardForm(contest))


def _page(request: UserRequest, contest: Contest, own: OwnAwardForm, status: int = 200) -> HttpResponse:
    asked = TopForm(request.GET if "top" in request.GET else None)
    top = (
        asked.cleaned_data["top"] if asked.is_bound and asked.is_valid() else TopForm().fields["top"].initial
    )
    context = {
        "contest": contest,
        "here": "awards",
        **awards_context(contest, top),
        "top_form": asked if asked.is_bound else TopForm(initial={"top": top}),
        "own_form": own,
        "undo_form": UndoAwardForm(auto_id=False),
    }
    return render(request, "contest/organise/awards.html", context, status=status)


@login_required
@require_POST
def confirm(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = ConfirmAwardForm(contest, request.POST)
    if not form.is_valid():
        show_errors(request, form)
        return redirect("organise_awards", slug)
    data = form.cleaned_data
    with refusal_shown(request):
        confirm_award(contest, request.user, data["kind"], data["team"], data["top"])
        messages.success(request, _("The award is given."))
    return redirect("organise_awards", slug)


@login_required
@require_POST
def give(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    form = OwnAwardForm(contest, request.POST)
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    data = dict(form.cleaned_data)
    with refusal_shown(request):
        give_award(contest, request.user, data.pop("team"), **data)
        messages.success(request, _("The award is given."))
    return redirect("organise_awards", slug)


@login_required
@require_POST
def undo(request: UserRequest, slug: str, award_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    award = access.award_of(contest, award_id)
    form = UndoAwardForm(request.POST)
    if not form.is_valid():
        show_errors(request, form)
        return redirect("organise_awards", slug)
    with refusal_shown(request):
        undo_award(award, request.user, form.cleaned_data["reason"])
        messages.success(request, _("The award is undone."))
    return redirect("organise_awards", slug)
