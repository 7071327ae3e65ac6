"""Questions of teams and the organisers' answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from contest.declarations.question import MAX_ANSWER, MAX_QUESTION, MAX_TITLE, QUESTIONS_AN_HOUR
from contest.errors import Refused
from contest.models import Contest, Notification, Question, Round, Team, User
from contest.outside.notices import Notice, members_of, notify
from contest.records import audit
from contest.services.contests import announce
from contest.services.entry_marks import require_reason
from contest.services.rate_limit import limit_tries


@dataclass(frozen=True)
class Answer:
    """``title`` is the question as everybody reads it. An answer becomes part of the FAQ or an
    announcement only where it is for everybody."""

    text: str
    to: str = Question.Audience.TEAM
    title: str = ""
    is_faq: bool = False
    is_announced: bool = False


def ask_question(
    contest: Contest, team: Team, user: User, body: str, *, round_: Round | None = None, openly: bool = False
) -> Question:
    """Ask the organisers. An open question is shown to everybody at once."""
    _require_text(body, MAX_QUESTION)
    if team.contest_id != contest.pk or team.is_house or team.status == Team.Status.REMOVED:
        raise Refused("team-removed", _("A removed team cannot ask questions."))
    if round_ is not None and round_.contest_id != contest.pk:
        raise Refused("no-such-round", _("This round belongs to another contest."))
    limit_tries("question", f"team {team.pk}", limit=QUESTIONS_AN_HOUR)
    visibility = Question.Visibility.OPEN if openly else Question.Visibility.PRIVATE
    with transaction.atomic():
        question = Question.objects.create(
            contest=contest,
            round=round_,
            team=team,
            asked_by=user,
            asked_at=timezone.now(),
            body=body,
            asked_openly=openly,
            visibility=visibility,
        )
        # The log is archived whole. Who asked is in the row, which is archived only as far as it is public.
        audit.record("question.asked", question, contest=contest, after={"visibility": visibility.value})
    return question


def answer_question(question: Question, user: User, answer: Answer) -> Question:
    """Answer a question, or put another answer in the place of the first; the team is notified of both."""
    _require_sound(question, answer)
    with transaction.atomic():
        locked = Question.objects.select_for_update(no_key=True).get(pk=question.pk)
        if locked.visibility != question.visibility:
            raise Refused(
                "changed-meanwhile", _("Somebody else has changed this question; look at it again.")
            )
        before = _facts(locked)
        locked.answer, locked.answered_to = answer.text, answer.to
        locked.title, locked.is_faq = answer.title, answer.is_faq
        locked.answered_by, locked.answered_at = user, timezone.now()
        if answer.is_announced:
            locked.announcement = announce(question.contest, user, answer.title, answer.text)
        locked.save()
        audit.record(
            "question.answered",
            locked,
            contest=question.contest,
            actor=user,
            before=before,
            after=_facts(locked),
        )
        _notify_team(locked)
    return locked


def _notify_team(question: Question) -> None:
    if question.team is None:
        return
    notice = Notice(
        Notification.Kind.ANSWER,
        question.contest,
        round_=question.round,
        facts={"question": question.pk, "text": question.body[:80]},
    )
    notify(notice, members_of([question.team]))


def change_visibility(question: Question, user: User, visibility: str, reason: str) -> Question:
    """Take an open question private, hide abuse, or undo that. Organisers open only what the team asked
    openly: nobody else publishes the words of a private question."""
    require_reason(reason)
    if visibility == Question.Visibility.OPEN and not question.asked_openly:
        raise Refused("asked-privately", _("This question was asked privately."))
    private = visibility == Question.Visibility.PRIVATE
    if private and question.answered_to == Question.Audience.ALL and not question.title:
        raise Refused(
            "no-title", _("Write the question in your own words first: everybody reads its answer.")
        )
    with transaction.atomic():
        mine = Question.objects.filter(pk=question.pk, visibility=question.visibility)
        if question.visibility == visibility or not mine.update(
            visibility=visibility, visibility_reason=reason
        ):
            raise Refused("no-change", _("This question is in that state already."))
        audit.record(
            "question.moved",
            question,
            contest=question.contest,
            actor=user,
            before={"visibility": question.visibility},
            after={"visibility": str(visibility)},
            reason=reason,
        )
    question.refresh_from_db()
    return question


def _require_text(text: str, most: int) -> None:
    if not text.strip():
        raise Refused("no-text", _("Write something."))
    if len(text) > most:
        raise Refused(
            "too-long",
            _("This text has at most %(most)s characters. Got %(length)s instead.")
            % {"most": most, "length": len(text)},
        )


def _require_sound(question: Question, answer: Answer) -> None:
    _require_text(answer.text, MAX_ANSWER)
    if answer.title:
        _require_text(answer.title, MAX_TITLE)
    for_all = answer.to == Question.Audience.ALL
    if (answer.is_faq or answer.is_announced) and not for_all:
        raise Refused(
            "not-for-all", _("Only an answer for everybody becomes an announcement or part of the FAQ.")
        )
    if for_all and question.visibility == Question.Visibility.HIDDEN:
        raise Refused("hidden-question", _("A hidden question is answered to its team alone."))
    is_private = question.visibility == Question.Visibility.PRIVATE
    if for_all and not answer.title and (is_private or answer.is_faq or answer.is_announced):
        raise Refused(
            "no-title",
            _("Write the question in your own words: it is what everybody reads above the answer."),
        )


def _facts(question: Question) -> dict[str, Any]:
    """What the log says of an answer: of one to a team alone, only that there is one."""
    if question.answered_to != Question.Audience.ALL:
        return {"to": question.answered_to} if question.is_answered else {}
    facts = {"to": question.answered_to, "title": question.title, "is_faq": question.is_faq}
    return {**facts, "answer": question.answer}
