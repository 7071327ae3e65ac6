"""What organisers do through the API: the actions of their pages, by the same services."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import contests, organiser_serializers
from contest.api.organisers_attacks import OrganiserView
from contest.bundle.specification import PhaseSpec
from contest.models import Contest, Entry, Phase, Rescore, Round, Team, User
from contest.pages.capacity import capacity_of
from contest.pages.limit_proposals import proposals
from contest.services import consequences, entry_marks, phases, rounds, settings, shifts, team_status
from contest.services.consequence import Consequence
from contest.services.leaving import remove_member
from contest.services.limit_changes import apply_rescore, discard_rescore, preview_rescore
from contest.services.team_life import change_track
from scoring.rules import Limit

REPAIRS: dict[str, Callable[[Entry, User, str], None]] = {
    "void": entry_marks.void_entry,
    "unvoid": entry_marks.unvoid_entry,
    "disqualify": entry_marks.disqualify_entry,
    "give-back": entry_marks.give_attempt_back,
}
TEAM_ACTS: dict[str, Callable[[Team, User, str], None]] = {
    "approve": team_status.approve_team,
    "lock": team_status.lock_team,
    "unlock": team_status.unlock_team,
    "remove": team_status.remove_team,
    "restore": team_status.restore_team,
}


def _settings(subject: Contest | Round, names: tuple[str, ...]) -> dict[str, Any]:
    given = {name: getattr(subject, name) for name in names}
    return {"version": subject.settings_version, "settings": given}


def _told(found: list[Consequence]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(it) for it in found]


class ContestSettings(OrganiserView):
    @extend_schema(
        summary="The settings of a contest and their version", responses=organiser_serializers.SettingsShape
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return Response(_settings(contest, settings.CONTEST_SETTINGS))

    @extend_schema(
        summary="Change settings of a contest, or only show the consequences",
        request=organiser_serializers.ContestChange,
        responses=organiser_serializers.ChangedShape,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(organiser_serializers.ContestChange)
        changes = settings.differences(contest, data["settings"])
        found = consequences.of_contest(contest, changes)
        if not data["preview"]:
            settings.change_contest(contest, self.user, data["version"], data["settings"], data["reason"])
        return Response({"consequences": _told(found), **_settings(contest, settings.CONTEST_SETTINGS)})


class RoundSettings(OrganiserView):
    @extend_schema(
        summary="The settings of a round and their version", responses=organiser_serializers.SettingsShape
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        return Response(_settings(round_, settings.ROUND_SETTINGS))

    @extend_schema(
        summary="Change settings of a round, or only show the consequences",
        request=organiser_serializers.RoundChange,
        responses=organiser_serializers.ChangedShape,
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(organiser_serializers.RoundChange, round=round_)
        changes = settings.differences(round_, data["settings"])
        found = consequences.of_round(round_, changes)
        if not data["preview"]:
            settings.change_round(round_, self.user, data["version"], data["settings"], data["reason"])
        return Response({"consequences": _told(found), **_settings(round_, settings.ROUND_SETTINGS)})


class Rounds(contests.Rounds):
    scopes = {"GET": "read", "POST": "organise"}

    @extend_schema(
        summary="Add a round (organisers), or only show the consequences",
        request=organiser_serializers.RoundOrder,
        responses={200: organiser_serializers.Consequences, 201: organiser_serializers.Consequences},
        auth=[{"token": []}],  # type: ignore[list-item]
    )
    def post(self, request: Request, slug: str) -> Response:
        if not isinstance(request.user, User):
            self.permission_denied(request)
        contest = access.organised_contest_for(request.user, slug)
        data = self.read(organiser_serializers.RoundOrder)
        new = rounds.NewRound(data["like"], data["name"], data["slug"], data["starts_at"])
        found = rounds.of_new_round(contest, new)
        if not data["preview"]:
            rounds.add_round(contest, request.user, data["version"], new, data["reason"])
        return Response({"consequences": _told(found)}, 200 if data["preview"] else 201)


class RoundRemoval(OrganiserView):
    @extend_schema(
        summary="Remove a round that nobody has played, or only show the consequences",
        request=organiser_serializers.Removal,
        responses=organiser_serializers.Consequences,
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(organiser_serializers.Removal)
        found = rounds.of_removal(round_)
        if not data["preview"]:
            rounds.remove_round(round_, self.user, data["version"], data["reason"])
        return Response({"consequences": _told(found)})


class Shift(OrganiserView):
    @extend_schema(
        summary="Move all of a round that is still to come, or only show the consequences",
        request=organiser_serializers.ShiftOrder,
        responses=organiser_serializers.Consequences,
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(organiser_serializers.ShiftOrder)
        by = datetime.timedelta(days=data["days"], hours=data["hours"])
        found = shifts.of_shift(round_, by)
        if not data["preview"]:
            shifts.shift_round(round_, self.user, data["version"], by, data["reason"])
        return Response({"consequences": _told(found)})


class Phases(OrganiserView):
    @extend_schema(
        summary="Add a missing phase to a round",
        request=organiser_serializers.NewPhase,
        responses={201: organiser_serializers.PhaseState},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(organiser_serializers.NewPhase)
        span = PhaseSpec(data["kind"], data["starts_at"], data["ends_at"])
        made = phases.add_phase(round_, self.user, data["version"], span, data["reason"])
        return Response(organiser_serializers.PhaseState(made).data, 201)


class PhaseAct(OrganiserView):
    @extend_schema(
        summary="Open, close, extend, move, re-open or remove a phase as you saw it",
        request=organiser_serializers.PhaseOrder,
        responses=organiser_serializers.PhaseState,
    )
    def post(self, request: Request, slug: str, phase_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        phase = access.phase_of(contest, phase_id)
        data = self.read(organiser_serializers.PhaseOrder)
        if "seen_ends_at" in data:
            phase.ends_at = data["seen_ends_at"]
        if data["act"] == "remove":
            phases.remove_phase(phase, self.user, data["reason"])
        else:
            _move(phase, self.user, data)
            phase.refresh_from_db()
        return Response(organiser_serializers.PhaseState(phase).data)


def _move(phase: Phase, user: User, data: dict[str, Any]) -> None:
    act, reason, move_later = data["act"], data["reason"], data["move_later"]
    ends_at: datetime.datetime = data.get("ends_at", phase.ends_at)
    if act == "open":
        phases.open_phase(phase, user, reason)
    elif act == "close":
        phases.close_phase(phase, user, reason)
    elif act == "extend":
        phases.extend_phase(phase, user, ends_at, reason, move_later=move_later)
    elif act == "reopen":
        phases.reopen_phase(phase, user, ends_at, reason, move_later=move_later)
    else:
        phases.move_phase(phase, user, data.get("starts_at", phase.starts_at), ends_at, reason)


class Publish(OrganiserView):
    @extend_schema(
        summary="Publish the results of a round now",
        request=organiser_serializers.Reason,
        responses=organiser_serializers.PhaseState,
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(organiser_serializers.Reason)
        phases.publish_results(round_, self.user, data["reason"])
        phase = Phase.objects.get(round=round_, kind=Phase.Kind.RESULTS)
        return Response(organiser_serializers.PhaseState(phase).data)


class Repairs(OrganiserView):
    @extend_schema(
        summary="Void, unvoid or disqualify entries, or give their attempts back",
        request=organiser_serializers.RepairOrder,
        responses=organiser_serializers.Repaired,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(organiser_serializers.RepairOrder)
        entries = access.entries_of(contest, [str(key) for key in data["entries"]])
        for entry in entries:
            REPAIRS[data["act"]](entry, self.user, data["reason"])
        return Response(organiser_serializers.Repaired({"entries": entries}).data)


class Teams(OrganiserView):
    @extend_schema(summary="The teams of a contest", responses=organiser_serializers.TeamState(many=True))
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(
            Team.objects.filter(contest=contest).prefetch_related("memberships__user").order_by("pk"),
            organiser_serializers.TeamState,
        )

    @extend_schema(
        summary="Approve, lock, unlock, remove or restore teams, or merge one into another",
        request=organiser_serializers.TeamOrder,
        responses=organiser_serializers.TeamsChanged,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(organiser_serializers.TeamOrder)
        teams = access.teams_of(contest, [str(key) for key in data["teams"]])
        if data["act"] == "merge":
            (target,) = access.teams_of(contest, [str(data["into"])])
            for team in teams:
                team_status.merge_teams(team, target, self.user, data["reason"])
        else:
            for team in teams:
                TEAM_ACTS[data["act"]](team, self.user, data["reason"])
        return Response(organiser_serializers.TeamsChanged({"teams": teams}).data)


class MemberRemoval(OrganiserView):
    @extend_schema(
        summary="Take a member out of a team",
        request=organiser_serializers.GivenReason,
        responses=organiser_serializers.TeamState,
    )
    def post(self, request: Request, slug: str, team_id: int, membership_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        (team,) = access.teams_of(contest, [str(team_id)])
        member = access.removable_member_of(self.viewer, team, membership_id)
        remove_member(member, self.user, self.read(organiser_serializers.GivenReason)["reason"])
        return Response(organiser_serializers.TeamState(team).data)


class Track(OrganiserView):
    @extend_schema(
        summary="Put a team into another track",
        request=organiser_serializers.TrackOrder,
        responses=organiser_serializers.TeamState,
    )
    def post(self, request: Request, slug: str, team_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        (team,) = access.teams_of(contest, [str(team_id)])
        data = self.read(organiser_serializers.TrackOrder)
        change_track(team, self.user, data["track"], data["reason"])
        return Response(organiser_serializers.TeamState(team).data)


class Rescores(OrganiserView):
    @extend_schema(
        summary="Changes of a round's limits", responses=organiser_serializers.RescoreShape(many=True)
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        return self.paged(Rescore.objects.filter(round=round_), organiser_serializers.RescoreShape)

    @extend_schema(
        summary="Compute what other limits would change; nothing is touched",
        request=organiser_serializers.RescoreOrder,
        responses={201: organiser_serializers.RescoreShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        data = self.read(organiser_serializers.RescoreOrder, format=round_.dataset.format)
        limits = [Limit(**limit) for limit in data["limits"]]
        rescore = preview_rescore(round_, self.user, limits, data["reason"])
        return Response(organiser_serializers.RescoreShape(rescore).data, 201)


class LimitProposals(OrganiserView):
    @extend_schema(
        summary="Limits that house entries of a round keep, the strictest first",
        responses=organiser_serializers.Proposals,
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        return Response(organiser_serializers.Proposals({"proposals": proposals(round_)}).data)


class RescoreDecision(OrganiserView):
    @extend_schema(
        summary="One change of limits and its preview", responses=organiser_serializers.RescoreShape
    )
    def get(self, request: Request, slug: str, rescore_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return Response(organiser_serializers.RescoreShape(access.rescore_of(contest, rescore_id)).data)

    @extend_schema(
        summary="Apply a change of limits or discard it",
        request=organiser_serializers.Decision,
        responses=organiser_serializers.RescoreShape,
    )
    def post(self, request: Request, slug: str, rescore_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        rescore = access.rescore_of(contest, rescore_id)
        if self.read(organiser_serializers.Decision)["act"] == "apply":
            apply_rescore(rescore, self.user)
        else:
            discard_rescore(rescore, self.user)
        return Response(organiser_serializers.RescoreShape(rescore).data)


class CapacityView(OrganiserView):
    @extend_schema(
        summary="How long the attacks of a round will take at the times measured",
        parameters=[OpenApiParameter("workers", int, description="Without it, those at work now.")],
        responses=organiser_serializers.CapacityShape,
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        query = organiser_serializers.Workers(data=request.query_params)
        query.is_valid(raise_exception=True)
        found = capacity_of(round_, query.validated_data.get("workers"))
        spans = {"estimate_seconds": found.estimate, "left_seconds": found.time_left}
        answer = {
            **vars(found),
            **{name: None if span is None else span.total_seconds() for name, span in spans.items()},
            "fits": found.fits,
        }
        return Response(organiser_serializers.CapacityShape(answer).data)
