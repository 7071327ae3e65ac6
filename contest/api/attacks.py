from __future__ import annotations

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import games, request_serializers, serializers
from contest.api.game_serializers import GameTargetShape
from contest.api.view import MemberView, PublicView
from contest.pages.attack import attack_summary
from contest.pages.downloads import guesses_in, refusal_of, targets_bundle
from contest.pages.games.data import targets_answer
from contest.services import team_attacks
from contest.services.attacks import targets_of
from datasets.problems import BadFiles


class Targets(MemberView):
    @extend_schema(
        summary="What your team may attack; empty until the entries are frozen",
        responses=serializers.EntryRef(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        shown = targets_of(round_, team) if access.targets_are_public(round_) else []
        if round_.game_id is not None:
            return self.paged([games.target_facts(round_, entry) for entry in shown], GameTargetShape)
        return self.paged(shown, serializers.EntryRef)


class TargetsArchive(MemberView):
    @extend_schema(
        summary="The published files of all targets in one zip, one folder per target",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, round_slug: str) -> HttpResponseBase:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        if round_.game_id is not None:
            return targets_answer(self.viewer, round_, team)
        if not access.targets_are_public(round_):
            raise Http404
        name = f"{slug}-{round_slug}-targets.zip"
        return FileResponse(targets_bundle(round_, team), as_attachment=True, filename=name)


class Attacks(MemberView):
    @extend_schema(
        summary="The attacks of your team; of all teams for organisers",
        responses=serializers.AttackShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        return self.paged(access.attacks_for(self.viewer, round_), serializers.AttackShape)


class AttackDetail(PublicView):
    @extend_schema(
        summary="An attack: its runs, its log for its owners", responses=serializers.AttackDetailShape
    )
    def get(self, request: Request, slug: str, round_slug: str, attack_id: int) -> Response:
        attack = access.attack_for(self.viewer, slug, round_slug, attack_id)
        if attack.round.game_id is not None:
            return games.answer_detail(self.viewer, attack)
        summary = attack_summary(self.viewer, attack)
        summary["note"] = attack.note if summary["show_log"] else None
        return Response(serializers.AttackDetailShape(summary).data)


class Guesses(MemberView):
    @extend_schema(
        summary="Hand in guesses, one file per target",
        request={"multipart/form-data": request_serializers.GuessUpload},
        responses={201: serializers.AttackShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        if round_.game_id is not None:
            return games.send_answer(round_, team, self.user, self.read(request_serializers.GuessUpload))
        data = self.read(request_serializers.GuessUpload)
        try:
            with guesses_in(round_, team, data["archive"]) as guesses:
                attack = team_attacks.submit_guesses(
                    round_, team, self.user, guesses, data["note"], guesses.remarks
                )
        except BadFiles as error:
            raise refusal_of(error) from None
        return Response(serializers.AttackShape(attack).data, 201)


class Programs(MemberView):
    @extend_schema(
        summary="Hand in a re-identifier, or try it for free",
        request={"multipart/form-data": request_serializers.ProgramUpload},
        responses={201: serializers.AttackShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        team = access.own_team_for(self.viewer, round_.contest)
        data = self.read(request_serializers.ProgramUpload)
        program = team_attacks.keep_program(data["program"])
        submit = team_attacks.try_program if data["dry_run"] else team_attacks.submit_program
        return Response(serializers.AttackShape(submit(round_, team, self.user, program)).data, 201)
