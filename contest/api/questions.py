"""Questions of teams and the answers of the organisers."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.serializers import Shape
from contest.api.view import MemberView, PublicView
from contest.declarations.question import MAX_ANSWER, MAX_QUESTION, MAX_TITLE
from contest.models import Question, User
from contest.pages.questions import MOST, shown_question, shown_questions
from contest.services.questions import Answer, answer_question, ask_question


class QuestionShape(Shape):
    """A question as you may see it; what is not for you is empty."""

    id = s.IntegerField()
    round = s.CharField(allow_null=True, help_text="The name of the round that it is about.")
    asked_at = s.DateTimeField()
    team = s.CharField(allow_blank=True)
    title = s.CharField(allow_blank=True, help_text="The question in the organisers' words.")
    words = s.CharField(allow_blank=True, help_text="The question in the team's words: Markdown.")
    answer = s.CharField(allow_blank=True, help_text="Markdown.")
    answered_at = s.DateTimeField(allow_null=True)
    answered_to = s.ChoiceField(Question.Audience.choices, allow_blank=True)
    visibility = s.ChoiceField(Question.Visibility.choices)
    is_faq = s.BooleanField()
    is_own = s.BooleanField(help_text="Whether your team asked it.")


class QuestionRequest(Shape):
    words = s.CharField(max_length=MAX_QUESTION, help_text="Markdown.")
    round = s.SlugField(required=False, allow_null=True, default=None, help_text="The round it is about.")
    openly = s.BooleanField(default=False, help_text="Everybody reads it, with the name of your team.")


class AnswerRequest(Shape):
    text = s.CharField(max_length=MAX_ANSWER, help_text="Markdown.")
    to = s.ChoiceField(Question.Audience.choices, default=Question.Audience.TEAM)
    title = s.CharField(
        max_length=MAX_TITLE,
        required=False,
        allow_blank=True,
        default="",
        help_text="The question in your words, which everybody reads above the answer.",
    )
    is_faq = s.BooleanField(default=False, help_text="Add it to the frequent questions.")
    is_announced = s.BooleanField(default=False, help_text="Announce it as well.")


class Questions(PublicView):
    @extend_schema(
        summary="The newest questions that you may see, and their answers",
        responses=QuestionShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        team, organises = access.team_of(self.viewer, contest), access.is_organiser(self.viewer, contest)
        found = access.questions_for(self.viewer, contest)[:MOST]
        return self.paged(shown_questions(found, team, organises), QuestionShape)

    @extend_schema(
        summary="Ask the organisers, privately or openly (teams)",
        request=QuestionRequest,
        responses={201: QuestionShape},
        auth=[{"token": []}],  # type: ignore[list-item]
    )
    def post(self, request: Request, slug: str) -> Response:
        if not isinstance(request.user, User):
            self.permission_denied(request)
        contest = access.contest_for(request.user, slug)
        team = access.own_team_for(request.user, contest)
        data = self.read(QuestionRequest)
        round_ = access.round_for(request.user, slug, data["round"]) if data["round"] else None
        made = ask_question(contest, team, request.user, data["words"], round_=round_, openly=data["openly"])
        return Response(QuestionShape(shown_question(made, team, False)).data, 201)


class QuestionAnswer(MemberView):
    scopes = {"POST": "organise"}

    @extend_schema(
        summary="Answer a question, to its team or to everybody (organisers)",
        request=AnswerRequest,
        responses=QuestionShape,
    )
    def post(self, request: Request, slug: str, question_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        question = access.question_of(contest, question_id)
        answered = answer_question(question, self.user, Answer(**self.read(AnswerRequest)))
        return Response(QuestionShape(shown_question(answered, None, True)).data)
