from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from contest import access
from contest.errors import Refused
from contest.forms.questions import AnswerForm, VisibilityForm
from contest.models import Contest, Question
from contest.pages.questions import MOST
from contest.services.questions import Answer, answer_question, change_visibility
from contest.views.organise.acts import refusal_shown, show_errors
from contest.views.requests import UserRequest


@login_required
@require_safe
def questions(request: UserRequest, slug: str) -> HttpResponse:
    """All questions: what waits for an answer first, the oldest on top."""
    contest = access.organised_contest_for(request.user, slug)
    return _page(request, contest)


def _page(
    request: UserRequest, contest: Contest, bound: AnswerForm | None = None, key: int = 0
) -> HttpResponse:
    """``bound`` is the answer to question ``key`` that was refused, with its errors."""
    found = list(access.questions_for(request.user, contest)[:MOST])
    rows = [
        (
            question,
            bound if bound is not None and question.pk == key else _answer_form(question),
            VisibilityForm(initial={"visibility": question.visibility}, auto_id=f"question-{question.pk}-%s"),
        )
        for question in found
    ]
    context = {
        "contest": contest,
        "here": "questions",
        "waiting": [row for row in rows[::-1] if _waits(row[0])],
        "done": [row for row in rows if not _waits(row[0])],
    }
    return render(request, "contest/organise/questions.html", context, status=422 if bound else 200)


def _waits(question: Question) -> bool:
    return not question.is_answered and question.visibility != Question.Visibility.HIDDEN


def _answer_form(question: Question) -> AnswerForm:
    shown = {
        "answer": question.answer,
        "to": question.answered_to or Question.Audience.TEAM,
        "title": question.title,
        "is_faq": question.is_faq,
    }
    return AnswerForm(initial=shown, auto_id=f"question-{question.pk}-%s")


@login_required
@require_POST
def answer(request: UserRequest, slug: str, question_id: int) -> HttpResponse:
    contest = access.organised_contest_for(request.user, slug)
    question = access.question_of(contest, question_id)
    form = AnswerForm(request.POST, auto_id=f"question-{question.pk}-%s")
    if not form.is_valid():
        return _page(request, contest, form, question.pk)
    data = dict(form.cleaned_data)
    try:
        answer_question(question, request.user, Answer(data.pop("answer"), **data))
    except Refused as refusal:
        form.add_error(None, refusal.text)
        return _page(request, contest, form, question.pk)
    messages.success(request, _("The answer was sent to the team."))
    return redirect("organise_questions", slug)


@login_required
@require_POST
def move(request: UserRequest, slug: str, question_id: int) -> HttpResponse:
    """Take an open question private, hide abuse, or undo that; with a reason."""
    contest = access.organised_contest_for(request.user, slug)
    question = access.question_of(contest, question_id)
    form = VisibilityForm(request.POST)
    if not form.is_valid():
        show_errors(request, form)
        return redirect("organise_questions", slug)
    with refusal_shown(request):
        change_visibility(
            question, request.user, form.cleaned_data["visibility"], form.cleaned_data["reason"]
        )
        messages.success(request, _("Saved."))
    return redirect("organise_questions", slug)
