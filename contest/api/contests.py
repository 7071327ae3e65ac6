from __future__ import annotations

import copy
import dataclasses
from typing import Any

from django.http import FileResponse
from django.utils.translation import get_language
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import request_serializers, serializers
from contest.api.round_serializers import RoundShape
from contest.api.view import PublicView
from contest.board import queries
from contest.board.disclosure import budget_of
from contest.board.ranking import find_ranking
from contest.kit.build import kit_answer
from contest.models import Attack, Dataset, Round, User
from contest.outside.event_feed import feed
from contest.pages.downloads import data_download
from contest.pages.games.data import download_answer
from contest.play.table import Table
from contest.services.attempts import count_attempts
from contest.services.contests import announce
from games.contract.declaration import in_language
from games.formats.rules import FileRules


class Contests(PublicView):
    @extend_schema(summary="The contests that you may see", responses=serializers.ContestShape(many=True))
    def get(self, request: Request) -> Response:
        return self.paged(queries.contest_cards(self.viewer), serializers.ContestShape)


class ContestDetail(PublicView):
    @extend_schema(summary="A contest with its rounds and phases", responses=serializers.ContestDetailShape)
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        facts = {name: getattr(contest, name) for name in CONTEST_FIELDS}
        detail = {
            **facts,
            "tracks": contest.declared_tracks,
            "rounds": access.rounds_for(self.viewer, contest),
            "my_team": access.team_of(self.viewer, contest),
            "can_organise": access.is_organiser(self.viewer, contest),
        }
        return Response(serializers.ContestDetailShape(detail).data)


CONTEST_FIELDS = (
    "slug", "title", "summary", "description", "time_zone", "is_public", "max_team_size", "min_team_size",
    "registration_opens", "registration_closes", "registration",
)  # fmt: skip


class Announcements(PublicView):
    scopes = {"GET": "read", "POST": "organise"}

    @extend_schema(
        summary="What the organisers announced", responses=serializers.AnnouncementShape(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        return self.paged(contest.announcements.all(), serializers.AnnouncementShape)

    @extend_schema(
        summary="Announce something (organisers)",
        request=serializers.AnnouncementShape,
        responses={201: serializers.AnnouncementShape},
        auth=[{"token": []}],  # type: ignore[list-item]
    )
    def post(self, request: Request, slug: str) -> Response:
        if not isinstance(request.user, User):
            self.permission_denied(request)
        contest = access.organised_contest_for(request.user, slug)
        data = self.read(serializers.AnnouncementShape)
        made = announce(contest, request.user, data["title"], data["body"], by_mail=data["by_mail"])
        return Response(serializers.AnnouncementShape(made).data, 201)


class Events(PublicView):
    @extend_schema(
        summary="What happened in public since an event that you know",
        parameters=[request_serializers.FeedQuery],
        responses=serializers.FeedShape,
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        query = request_serializers.FeedQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        return Response(serializers.FeedShape(feed(contest, query.validated_data["after"])).data)


class Rounds(PublicView):
    @extend_schema(summary="The rounds of a contest, with their rules", responses=RoundShape(many=True))
    def get(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        rounds = access.rounds_for(self.viewer, contest)
        return self.paged([round_facts(self.viewer, round_) for round_ in rounds], RoundShape)


class RoundDetail(PublicView):
    @extend_schema(summary="Rules, limits, phases and attempts of a round", responses=RoundShape)
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        return Response(RoundShape(round_facts(self.viewer, round_)).data)


def round_facts(viewer: access.Viewer, round_: Round) -> dict[str, Any]:
    team = access.team_of(viewer, round_.contest)
    house = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE)
    return {
        "round": round_,
        "phases": round_.phases.all(),
        "dataset": _readable_data(viewer, round_),
        **(_decided_by_game(round_) if round_.game_id is not None else _decided_by_format(round_)),
        "house_attacks": list(house.values_list("name", flat=True)),
        "attempts": count_attempts(round_, team) if team else None,
    }


def _readable_data(viewer: access.Viewer, round_: Round) -> Dataset:
    """The data of a round; of a game's files only those that somebody may read now, as on the page."""
    if round_.game_id is None:
        return round_.dataset
    shown = copy.copy(round_.dataset)
    readable = access.round_files(viewer, round_)
    shown.files = {one.name: one.sha256 for one in readable if not one.is_sealed}
    return shown


def _decided_by_format(round_: Round) -> dict[str, Any]:
    return {
        "file_rules": dataclasses.asdict(FileRules(**round_.file_rules)),
        "ranking": find_ranking(round_.ranking),
        "budget": budget_of(round_),
    }


def _decided_by_game(round_: Round) -> dict[str, Any]:
    """What a game decides is under `game/`; its answers are not counted in bits."""
    rule = next((one for one in Table(round_).declared.rules if one.name == round_.ranking), None)
    formula = in_language(rule.formula, get_language() or "en") if rule else ""
    ranking = {"name": round_.ranking, "title": round_.ranking, "formula": formula, "tie_breaks": []}
    return {"file_rules": {}, "ranking": ranking, "budget": None}


class Data(PublicView):
    @extend_schema(
        summary="Download a file of the original, such as T.csv, or all as data.zip",
        parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH)],
        responses={(200, "text/csv"): OpenApiTypes.BINARY, (200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, round_slug: str, name: str) -> FileResponse:
        round_ = access.round_for(self.viewer, slug, round_slug)
        if round_.game_id is not None:
            return download_answer(self.viewer, round_, name)
        return data_download(round_, name)


class Kit(PublicView):
    @extend_schema(
        summary="Everything to work on a round offline, in one zip; of a game's round what you may read now",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, round_slug: str) -> FileResponse:
        return kit_answer(self.viewer, access.round_for(self.viewer, slug, round_slug))
