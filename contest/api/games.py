"""Rounds that are played by a game: what it declares, its files, boards, answers, programs, and uploads."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404
from django.utils.http import parse_etags
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import game_serializers as shapes
from contest.api.boards import IF_NONE_MATCH, REVALIDATED, SAME_BOARD, TRACK, board_tag
from contest.api.organisers_attacks import OrganiserView
from contest.api.view import MemberView, PublicView
from contest.board.game_board_cache import look_at
from contest.board.game_boards import of_track
from contest.board.tracks import require_track
from contest.files import vault
from contest.files.storage import submitted
from contest.language.translation import say
from contest.models import Attack, Entry, GamePackage, Round, Team, User
from contest.pages.games.answers import answer_summary
from contest.pages.games.data import file_answer
from contest.pages.games.entry import entry_context
from contest.play.packages import installed_declarations, installed_presets
from contest.play.table import Table
from contest.play.uploads import answer_files, entry_files, most_bytes
from contest.services import handing_in
from contest.services.answers import pin_answer, submit_answer
from contest.services.attacks import targets_of
from contest.services.game_packages import upload_game
from contest.services.hiders import keep_program, submit_hider
from games.contract.declaration import Declaration, File
from games.contract.files import expectation


def game_round(viewer: access.Viewer, slug: str, round_slug: str) -> Round:
    """A round that is played by a game; others have no such addresses."""
    round_ = access.round_for(viewer, slug, round_slug)
    if round_.game_id is None:
        raise Http404
    return round_


class InstalledGames(PublicView):
    @extend_schema(
        summary="The games that are installed here", responses=shapes.InstalledGameShape(many=True)
    )
    def get(self, request: Request) -> Response:
        names = ("name", "version", "title", "people", "phases")
        rows = [
            {**{name: getattr(one, name) for name in names}, "presets": installed_presets(one.name)}
            for one in installed_declarations()
        ]
        return self.paged(rows, shapes.InstalledGameShape)


class RoundGame(PublicView):
    @extend_schema(
        summary="The game of a round: files, measures, challenges, rules, parameters",
        responses=shapes.RoundGameShape,
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = game_round(self.viewer, slug, round_slug)
        table = Table(round_)
        seat = access.seat_of(self.viewer, round_)
        facts = {**_game_facts(table, table.declared), "seat": seat.number if seat else None}
        return Response(shapes.RoundGameShape(facts).data)


def _game_facts(table: Table, declared: Declaration) -> dict[str, Any]:
    names = ("name", "version", "title", "people", "phases", "slots", "measures", "challenges", "rules")
    return {
        **{name: getattr(declared, name) for name in (*names, "methods", "attacks")},
        "variants": declared.seats.variants,
        "is_uploaded": table.package.is_uploaded,
        "rule": table.rule,
        "parameters": table.params,
        "build_state": table.round.build_state,
        "files": [_file_facts(file) for file in declared.files],
    }


def _file_facts(file: File) -> dict[str, Any]:
    columns = [
        {"name": it.name, "kind": it.kind, "expected": say(expectation(it).as_data())} for it in file.columns
    ]
    names = ("name", "scope", "made", "required", "meaning")
    return {**{name: getattr(file, name) for name in names}, "shown": vars(file.shown), "columns": columns}


class RoundFiles(PublicView):
    @extend_schema(
        summary="The files of the round and of your seat that you may read now",
        responses=shapes.ReadableFileShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = game_round(self.viewer, slug, round_slug)
        found = [*access.round_files(self.viewer, round_), *access.seat_files(self.viewer, round_)]
        return self.paged(found, shapes.ReadableFileShape)


class RoundFile(PublicView):
    @extend_schema(
        summary="Download a file of the round",
        parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH)],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, round_slug: str, name: str) -> FileResponse:
        round_ = game_round(self.viewer, slug, round_slug)
        return file_answer(access.round_file_for(self.viewer, round_, name))


class SeatFile(PublicView):
    @extend_schema(
        summary="Download a file of a seat",
        parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH)],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, round_slug: str, number: int, name: str) -> FileResponse:
        round_ = game_round(self.viewer, slug, round_slug)
        return file_answer(access.seat_file_for(self.viewer, round_, number, name))


class Boards(PublicView):
    @extend_schema(
        summary="The boards of a round as its game counts them",
        parameters=[IF_NONE_MATCH, TRACK],
        responses={200: shapes.BoardsShape, 304: SAME_BOARD},
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = game_round(self.viewer, slug, round_slug)
        look = look_at(self.viewer, round_, access.team_of(self.viewer, round_.contest))
        track = require_track(round_.contest, request.query_params.get("track", ""))
        tag = board_tag(request, look.key)
        headers = {"ETag": tag, **REVALIDATED}
        if tag in parse_etags(request.headers.get("If-None-Match", "")):
            return Response(status=304, headers=headers)
        counted = look.counted()
        shown = dataclasses.replace(counted, boards=of_track(counted.boards, track))
        return Response(shapes.BoardsShape(shown).data, headers=headers)


def target_facts(round_: Round, entry: Entry) -> dict[str, Any]:
    """A target and the number of its seat, which attackers are told as its game is."""
    seat = Table(round_).seat_of(entry)
    return {"entry": entry, "seat": seat.number if seat else None}


def hand_in(round_: Round, team: Team, user: User, data: dict[str, Any]) -> Entry:
    """An entry of a game as one zip."""
    most = most_bytes(entry_files(Table(round_).declared, data["slot"]))
    upload = vault.keep_archive(data["archive"], min(settings.UPLOAD_MAX_BYTES, most))
    given = {name: data[name] for name in ("keep", "note", "slot", "variant")}
    return handing_in.hand_in(round_, team, user, upload, **given)


def entry_detail(viewer: access.Viewer, entry: Entry) -> Response:
    context = entry_context(viewer, entry)
    context["note"] = entry.note if context["can_see_details"] else None
    return Response(shapes.GameEntryDetailShape(context).data)


def answer_detail(viewer: access.Viewer, attack: Attack) -> Response:
    summary = answer_summary(viewer, attack, attack.round, pictured=True)
    summary["note"] = attack.note if summary["is_owner"] or summary["can_organise"] else None
    return Response(shapes.AnswerDetailShape(summary).data)


def send_answer(round_: Round, team: Team, user: User, data: dict[str, Any]) -> Response:
    """An answer to all targets as one zip."""
    keys = [entry.key for entry in targets_of(round_, team)]
    most = most_bytes(answer_files(Table(round_).declared, keys))
    stored = submitted.put(data["archive"], min(settings.UPLOAD_MAX_BYTES, most))
    attack = submit_answer(round_, team, user, stored, data["note"])
    return Response(shapes.AnswerShape(attack).data, 201)


class Answers(MemberView):
    @extend_schema(
        summary="Hand in an answer to all targets and challenges at once",
        request={"multipart/form-data": shapes.AnswerUpload},
        responses={201: shapes.AnswerShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = game_round(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        return send_answer(round_, team, self.user, self.read(shapes.AnswerUpload))


class AnswerPin(MemberView):
    @extend_schema(
        summary="Let an answer count instead of the latest one", request=None, responses=shapes.AnswerShape
    )
    def post(self, request: Request, slug: str, round_slug: str, attack_id: int) -> Response:
        attack = access.own_attack_for(self.viewer, slug, round_slug, attack_id)
        pin_answer(attack, self.user)
        attack.refresh_from_db()
        return Response(shapes.AnswerShape(attack).data)


class Hiders(MemberView):
    @extend_schema(
        summary="Hand in a program that makes an entry",
        request={"multipart/form-data": shapes.HiderUpload},
        responses={201: shapes.GameEntryShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = game_round(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        data = self.read(shapes.HiderUpload)
        given = {name: data[name] for name in ("note", "slot", "variant")}
        entry = submit_hider(round_, team, self.user, keep_program(data["program"]), **given)
        return Response(shapes.GameEntryShape(entry).data, 201)


class ContestGames(OrganiserView):
    @extend_schema(
        summary="The games that were uploaded with a contest", responses=shapes.PackageShape(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        packages = GamePackage.objects.filter(contest=contest).order_by("-pk")
        return self.paged(packages, shapes.PackageShape)

    @extend_schema(
        summary="Upload a game; its examples and the laws are tried in the sandbox",
        request={"multipart/form-data": shapes.PackageUpload},
        responses={201: shapes.PackageShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(shapes.PackageUpload)
        package = upload_game(contest, self.user, data["archive"])
        return Response(shapes.PackageShape(package).data, 201)
