"""The questions of a contest as one reader sees them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from contest import access
from contest.models import Contest, Notification, Question, Team

MOST = 300
"""How many questions a page shows, newest first."""


@dataclass(frozen=True)
class ShownQuestion:
    """``words`` are the team's own, ``title`` the organisers' for everybody; what is not for this reader is
    empty."""

    id: int
    round: str | None
    asked_at: datetime.datetime
    team: str
    title: str
    words: str
    answer: str
    answered_at: datetime.datetime | None
    answered_to: str
    visibility: str
    visibility_words: str
    reason: str
    is_faq: bool
    is_own: bool
    is_new: bool = False


def shown_questions(
    questions: Iterable[Question], team: Team | None, organises: bool, new: Iterable[int] = ()
) -> list[ShownQuestion]:
    fresh = set(new)
    return [shown_question(question, team, organises, question.pk in fresh) for question in questions]


def shown_question(
    question: Question, team: Team | None, organises: bool, is_new: bool = False
) -> ShownQuestion:
    """What one reader sees of one question."""
    seen = access.view_of_question(question, team, organises)
    inside = seen.is_own or organises
    return ShownQuestion(
        id=question.pk,
        round=question.round.name if question.round else None,
        asked_at=question.asked_at,
        team=question.team.name if seen.sees_team and question.team else "",
        title=question.title if seen.sees_answer else "",
        words=question.body if seen.sees_words else "",
        answer=question.answer if seen.sees_answer else "",
        answered_at=question.answered_at if seen.sees_answer else None,
        answered_to=question.answered_to if seen.sees_answer else "",
        visibility=question.visibility,
        visibility_words=question.get_visibility_display(),
        reason=question.visibility_reason if inside else "",
        is_faq=question.is_faq and question.visibility != Question.Visibility.HIDDEN,
        is_own=seen.is_own,
        is_new=is_new,
    )


def unread_answers(viewer: access.Viewer, contest: Contest) -> QuerySet[Notification]:
    """The notices of answers that somebody has not marked as read in a contest."""
    if not viewer.is_authenticated:
        return Notification.objects.none()
    return Notification.objects.filter(
        user=viewer, contest=contest, kind=Notification.Kind.ANSWER, read_at=None
    )


def questions_context(viewer: access.Viewer, contest: Contest) -> dict[str, object]:
    """What the page of questions shows: the FAQ, the reader's own questions, and those of others."""
    team = access.team_of(viewer, contest)
    organises = access.is_organiser(viewer, contest)
    new = [notice.facts.get("question", 0) for notice in unread_answers(viewer, contest)]
    found = access.questions_for(viewer, contest)[:MOST]
    shown = shown_questions(found, team, organises, new)
    return {
        "contest": contest,
        "my_team": team,
        "can_organise": organises,
        "faq": [one for one in shown if one.is_faq][::-1],
        "own": [one for one in shown if one.is_own],
        "others": [one for one in shown if not one.is_own and not one.is_faq],
        "n_new": len(new),
    }
