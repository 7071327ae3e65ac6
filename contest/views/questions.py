"""Questions to the organisers and their answers, on a page of the contest."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.questions import QuestionForm
from contest.models import Contest
from contest.pages.questions import questions_context, unread_answers
from contest.services.notifications import mark_read
from contest.services.questions import ask_question
from contest.views.requests import PageRequest, UserRequest


@require_safe
def questions(request: PageRequest, slug: str) -> HttpResponse:
    contest = access.contest_for(request.user, slug)
    return _page(request, contest, QuestionForm(access.rounds_for(request.user, contest)))


def _page(request: PageRequest, contest: Contest, form: QuestionForm, status: int = 200) -> HttpResponse:
    context = {**questions_context(request.user, contest), "form": form}
    return render(request, "contest/questions.html", context, status=status)


@login_required
@require_POST
def ask(request: UserRequest, slug: str) -> HttpResponse:
    contest = access.contest_for(request.user, slug)
    team = access.own_team_for(request.user, contest)
    form = QuestionForm(access.rounds_for(request.user, contest), request.POST)
    if not form.is_valid():
        return _page(request, contest, form, status=422)
    data = form.cleaned_data
    try:
        ask_question(contest, team, request.user, data["body"], round_=data["round"], openly=data["openly"])
    except Refused as refusal:
        form.add_error(None, refusal.text)
        return _page(request, contest, form, status=422)
    messages.success(request, _("Your question was sent to the organisers."))
    return redirect("questions", slug)


@login_required
@require_POST
def read(request: UserRequest, slug: str) -> HttpResponse:
    """Mark the answers to one's own team as read."""
    contest = access.contest_for(request.user, slug)
    mark_read(unread_answers(request.user, contest))
    return redirect("questions", slug)
