from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import games, request_serializers, serializers
from contest.api.comparison_serializers import ComparedNumbers, ComparisonShape
from contest.api.game_serializers import GameEntryShape, GameUpload
from contest.api.verdict_serializers import VerdictShape
from contest.api.view import MemberView, PublicView
from contest.files import vault
from contest.files.storage import Stored
from contest.models import Round, Team
from contest.numbers import whole_number
from contest.pages.comparison import comparison_context
from contest.pages.dry_run import check_upload
from contest.pages.entry import entry_context
from contest.pages.games.dry_run import check_upload as check_game_upload
from contest.pages.problem_summary import verdict_context
from contest.services.entries import change_note, pin_entry
from contest.services.handing_in import hand_in
from datasets.problems import Verdict
from games.formats import Format


class Entries(MemberView):
    @extend_schema(
        summary="The entries of your team; of all teams for organisers",
        responses=serializers.EntryShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        return self.paged(access.entries_for(self.viewer, round_), serializers.EntryShape)

    @extend_schema(
        summary="Hand in an entry",
        request={"multipart/form-data": request_serializers.EntryUpload},
        responses={201: serializers.EntryShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        if round_.game_id is not None:
            entry = games.hand_in(round_, team, self.user, self.read(GameUpload))
            return Response(GameEntryShape(entry).data, 201)
        spec = round_.dataset.spec
        data = self.read(request_serializers.EntryUpload, format=spec)
        given = {name: data[name] for name in ("keep", "note")}
        entry = hand_in(round_, team, self.user, _keep(data, spec), **given)
        return Response(serializers.EntryShape(entry).data, 201)


def _keep(data: dict[str, Any], spec: Format) -> Stored:
    if data.get("archive") is not None:
        return vault.keep_archive(data["archive"], settings.UPLOAD_MAX_BYTES)
    return vault.keep_parts(_parts(data, spec), settings.UPLOAD_MAX_BYTES)


def _parts(data: dict[str, Any], spec: Format) -> dict[str, Any]:
    return {file.name: data[file.field] for file in spec.upload_files}


class EntryCheck(MemberView):
    """Nothing is written, so a reader's token is enough; the rate is that of uploads."""

    scopes = {"POST": "read"}

    @extend_schema(
        summary="Check an entry's files without handing them in: free, and nothing is stored",
        request={"multipart/form-data": request_serializers.EntryUpload},
        responses={200: VerdictShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        verdict = self._checked(round_, team)
        answer = {"valid": verdict.ok, **verdict_context(verdict)}
        return Response(VerdictShape(answer).data)

    def _checked(self, round_: Round, team: Team) -> Verdict:
        if round_.game_id is not None:
            given = self.read(GameUpload)
            place = {name: given[name] for name in ("slot", "variant")}
            return check_game_upload(round_, team, given["archive"], {}, **place)
        spec = round_.dataset.spec
        data = self.read(request_serializers.EntryUpload, format=spec)
        archive = data.get("archive")
        return check_upload(round_, team, archive, {} if archive is not None else _parts(data, spec))


class EntryDetail(PublicView):
    @extend_schema(
        summary="An entry: state, problems, scores, attacks", responses=serializers.EntryDetailShape
    )
    def get(self, request: Request, slug: str, round_slug: str, entry_id: int) -> Response:
        entry = access.entry_for(self.viewer, slug, round_slug, entry_id)
        if entry.round.game_id is not None:
            return games.entry_detail(self.viewer, entry)
        context = entry_context(self.viewer, entry)
        context["note"] = entry.note if context["can_see_details"] else None
        return Response(serializers.EntryDetailShape(context).data)


class EntryUpload(MemberView):
    @extend_schema(
        summary="What your team handed in as an entry, as it was sent",
        responses={(200, "application/zip"): bytes},
    )
    def get(self, request: Request, slug: str, round_slug: str, entry_id: int) -> FileResponse:
        entry = access.own_upload_for(self.viewer, slug, round_slug, entry_id)
        if not vault.exists(entry.upload_sha256):
            raise Http404
        name = f"{slug}-{round_slug}-entry-{entry.number}.zip"
        return FileResponse(vault.open_upload(entry), as_attachment=True, filename=name)


class Compare(MemberView):
    @extend_schema(
        summary="Two entries of your team side by side",
        parameters=[ComparedNumbers],
        responses=ComparisonShape,
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        a, b = (whole_number(request.query_params.get(name, "")) for name in ("a", "b"))
        context = comparison_context(self.viewer, round_, team, a, b)
        if context["a"] is None or context["b"] is None:
            raise Http404
        return Response(ComparisonShape(context).data)


class Pin(MemberView):
    @extend_schema(summary="Make an entry the official one", request=None, responses=serializers.EntryShape)
    def post(self, request: Request, slug: str, round_slug: str, entry_id: int) -> Response:
        entry = access.own_entry_for(self.viewer, slug, round_slug, entry_id)
        pin_entry(entry, self.user)
        return Response(
            serializers.EntryShape(access.entry_for(self.viewer, slug, round_slug, entry_id)).data
        )


class Note(MemberView):
    @extend_schema(
        summary="Change the note of an entry; only your team sees it",
        request=request_serializers.EntryNote,
        responses=request_serializers.EntryNote,
    )
    def post(self, request: Request, slug: str, round_slug: str, entry_id: int) -> Response:
        entry = access.own_entry_for(self.viewer, slug, round_slug, entry_id)
        change_note(entry, self.user, self.read(request_serializers.EntryNote)["note"])
        entry.refresh_from_db()
        return Response({"note": entry.note})
