"""Who may see which questions, and how much of each."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from contest.access.organisers import is_organiser
from contest.access.teams import PLAYING, team_of
from contest.access.viewers import Viewer
from contest.models import Contest, Question, Team
from contest.models.question import PUBLIC


@dataclass(frozen=True)
class QuestionView:
    """What somebody may know of a question that they may see."""

    is_own: bool
    sees_words: bool
    sees_team: bool
    sees_answer: bool


def questions_for(user: Viewer, contest: Contest) -> QuerySet[Question]:
    """The questions that somebody may see, newest first: all of them for the organisers, and for a team its
    own besides the public ones."""
    found = Question.objects.filter(contest=contest).select_related("round", "team", "answered_by")
    if is_organiser(user, contest):
        return found.order_by("-pk")
    team = team_of(user, contest)
    announced = Q(round=None) | Q(round__is_hidden=False) | Q(round__phases__starts_at__lte=timezone.now())
    seen = PUBLIC & announced
    return found.filter(seen | Q(team=team) if team is not None else seen).distinct().order_by("-pk")


def view_of_question(question: Question, team: Team | None, organises: bool) -> QuestionView:
    """How much of a question a member of a team, or an organiser, may know."""
    is_own = team is not None and question.team_id == team.pk
    inside = is_own or organises
    is_open = question.visibility == Question.Visibility.OPEN
    is_named = is_open and question.team is not None and question.team.status in PLAYING
    return QuestionView(
        is_own=is_own,
        sees_words=inside or is_open,
        sees_team=inside or is_named,
        sees_answer=inside or question.answered_to == Question.Audience.ALL,
    )


def question_of(contest: Contest, question_id: int) -> Question:
    """A question in a contest that the caller organises."""
    found = Question.objects.select_related("contest", "round", "team", "answered_by")
    return get_object_or_404(found, contest=contest, pk=question_id)


def open_questions_of(contest: Contest) -> QuerySet[Question]:
    """What waits for an answer in a contest that the caller organises; hidden abuse does not."""
    waiting = Question.objects.filter(contest=contest, answered_at=None)
    return waiting.exclude(visibility=Question.Visibility.HIDDEN)
