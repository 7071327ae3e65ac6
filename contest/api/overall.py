from __future__ import annotations

from typing import Any

from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.boards import IF_NONE_MATCH, REVALIDATED, TRACK, board_tag
from contest.api.serializers import Shape
from contest.api.view import PublicView
from contest.board.award_words import basis_in_words
from contest.board.overall_cache import look_at_overall
from contest.board.overall_words import overall_data, rule_in_words
from contest.board.tracks import require_track
from contest.models import Award

SAME_RESULT = OpenApiResponse(description="The overall result is the one whose `ETag` you sent.")


class OverallRoundShape(Shape):
    slug = s.CharField()
    name = s.CharField()
    weight = s.FloatField()


class LeftOutShape(OverallRoundShape):
    why = s.ChoiceField(["weight", "results", "board", "direction"], help_text="Why it does not count.")


class OverallRowShape(Shape):
    rank = s.IntegerField(allow_null=True)
    team = s.CharField()
    track = s.CharField(help_text="The name of its track, or nothing.")
    track_place = s.IntegerField(allow_null=True, help_text="Its place within its track.")
    total = s.FloatField(allow_null=True)
    totals = s.ListField(child=s.FloatField(allow_null=True), help_text="One per round, in their order.")
    is_mine = s.BooleanField()


class AwardShape(Shape):
    id = s.IntegerField()
    kind = s.ChoiceField(Award.Kind.choices)
    title = s.CharField(help_text="In the language of the request.")
    team = s.CharField()
    text = s.CharField()
    basis = s.CharField(help_text="The numbers that a computed award follows from, in words.")
    given_at = s.DateTimeField()


class OverallShape(Shape):
    version = s.CharField()
    rule = s.ListField(child=s.CharField(), help_text="How the result is computed, in sentences.")
    lower_wins = s.BooleanField()
    absent = s.FloatField(help_text="What a round counts in which a team has no total.")
    ties = s.CharField()
    rounds = OverallRoundShape(many=True)
    left_out = LeftOutShape(many=True, help_text="Rounds that do not count, or not yet.")
    rows = OverallRowShape(many=True)
    is_revealed = s.BooleanField(help_text="Whether the results of all rounds that count are revealed.")
    awards = AwardShape(many=True, help_text="Empty before the results are revealed.")


class OverallView(PublicView):
    @extend_schema(
        summary="The overall result of a contest: teams by the weighted mean of their totals",
        parameters=[IF_NONE_MATCH, TRACK],
        responses={200: OverallShape, 304: SAME_RESULT},
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        team = access.team_of(self.viewer, contest)
        look = look_at_overall(contest, team)
        track = require_track(contest, request.query_params.get("track", ""))
        tag = board_tag(request, (look.state, team and team.pk))
        headers = {"ETag": tag, **REVALIDATED}
        if tag in parse_etags(request.headers.get("If-None-Match", "")):
            return Response(status=304, headers=headers)
        overall = look.overall()
        data = overall_data(overall, track, tracked=True)
        for row, line in zip(data["rows"], overall.of_track(track), strict=True):
            row["is_mine"] = team is not None and line.team_id == team.pk
        answer = {
            **data,
            "version": look.version,
            "rule": rule_in_words(overall),
            "is_revealed": look.is_revealed,
            "awards": [award_facts(award) for award in look.awards],
        }
        return Response(OverallShape(answer).data, headers=headers)


class Awards(PublicView):
    @extend_schema(
        summary="The awards of a contest; empty before the results are revealed",
        responses=AwardShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        return self.paged([award_facts(award) for award in access.public_awards(contest)], AwardShape)


def award_facts(award: Award) -> dict[str, Any]:
    return {
        "id": award.pk,
        "kind": award.kind,
        "title": award.title,
        "team": award.team.name,
        "text": award.text,
        "basis": basis_in_words(award),
        "given_at": award.given_at,
    }
