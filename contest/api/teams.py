from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import request_serializers, serializers
from contest.api.view import MemberView
from contest.archive.importing import set_archive_consent
from contest.models import ApiToken, Entry, Team
from contest.services import teams
from contest.services.attempts import count_attempts
from contest.services.leaving import remove_member
from contest.services.team_life import change_track, hand_over, leave_team, rename_team


class Me(MemberView):
    scopes = {}

    @extend_schema(summary="Whose token this is and what it may do", responses=serializers.MeShape)
    def get(self, request: Request) -> Response:
        token = request.auth
        assert isinstance(token, ApiToken)
        memberships = self.user.memberships.select_related("team", "contest")
        if token.team_id is not None:
            memberships = memberships.filter(team=token.team_id)
        answer = {
            "name": self.user.username,
            "token": token.name,
            "scopes": token.scopes,
            "expires_at": token.expires_at,
            "contest": token.team.contest.slug if token.team else None,
            "teams": [
                {"contest": row.contest.slug, "id": row.team_id, "name": row.team.name} for row in memberships
            ],
        }
        return Response(serializers.MeShape(answer).data)


class OwnTeam(MemberView):
    @extend_schema(summary="Your team in this contest", responses=serializers.TeamShape)
    def get(self, request: Request, slug: str) -> Response:
        team = access.own_team_for(self.viewer, access.contest_for(self.viewer, slug))
        return Response(serializers.TeamShape(_facts(self.viewer, team)).data)

    @extend_schema(
        summary="Make a team", request=request_serializers.NewTeam, responses={201: serializers.TeamShape}
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.contest_for(self.viewer, slug)
        data = self.read(request_serializers.NewTeam)
        team = teams.create_team(contest, self.user, data["name"], data["track"])
        return Response(serializers.TeamShape(_facts(self.viewer, team)).data, 201)


class Leave(MemberView):
    @extend_schema(summary="Leave your team", request=None, responses={204: None})
    def post(self, request: Request, slug: str) -> Response:
        leave_team(access.own_membership_for(self.viewer, access.contest_for(self.viewer, slug)))
        return Response(status=204)


class TeamRename(MemberView):
    @extend_schema(
        summary="Give your team another name (its captain)",
        request=request_serializers.TeamName,
        responses=serializers.TeamShape,
    )
    def post(self, request: Request, slug: str) -> Response:
        team = access.led_team_for(self.viewer, access.contest_for(self.viewer, slug))
        rename_team(team, self.user, self.read(request_serializers.TeamName)["name"])
        return Response(serializers.TeamShape(_facts(self.viewer, team)).data)


class TeamTrack(MemberView):
    @extend_schema(
        summary="Put your team into another track (its captain)",
        request=request_serializers.TrackName,
        responses=serializers.TeamShape,
    )
    def post(self, request: Request, slug: str) -> Response:
        team = access.led_team_for(self.viewer, access.contest_for(self.viewer, slug))
        change_track(team, self.user, self.read(request_serializers.TrackName)["track"])
        return Response(serializers.TeamShape(_facts(self.viewer, team)).data)


def _facts(viewer: access.Viewer, team: Team) -> dict[str, Any]:
    official = dict(Entry.objects.filter(team=team, is_official=True).values_list("round", "pk"))
    return {
        "pk": team.pk,
        "name": team.name,
        "track": team.track,
        "members": team.memberships.select_related("user").order_by("id"),
        "rounds": [
            {
                "round": round_,
                "attempts": count_attempts(round_, team),
                "official_entry_id": official.get(round_.pk),
            }
            for round_ in access.rounds_for(viewer, team.contest)
        ],
    }


class Invitations(MemberView):
    @extend_schema(
        summary="Make an invitation link for your team",
        request=None,
        responses={201: serializers.InvitationShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        team = access.own_team_for(self.viewer, access.contest_for(self.viewer, slug))
        secret = teams.create_invitation(team, self.user)
        url = request.build_absolute_uri(reverse("join", args=[secret]))
        return Response(serializers.InvitationShape({"url": url}).data, 201)


class Invitation(MemberView):
    @extend_schema(summary="Withdraw an invitation", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, invitation_id: int) -> Response:
        team = access.own_team_for(self.viewer, access.contest_for(self.viewer, slug))
        teams.revoke_invitation(access.invitation_of(team, invitation_id), self.user)
        return Response(status=204)


class Member(MemberView):
    @extend_schema(
        summary="Take a member out of your team (its captain)", request=None, responses={204: None}
    )
    def delete(self, request: Request, slug: str, membership_id: int) -> Response:
        team = access.own_team_for(self.viewer, access.contest_for(self.viewer, slug))
        remove_member(access.removable_member_of(self.viewer, team, membership_id), self.user)
        return Response(status=204)

    @extend_schema(
        summary="Let a member lead your team (its captain)", request=None, responses=serializers.TeamShape
    )
    def post(self, request: Request, slug: str, membership_id: int) -> Response:
        team = access.led_team_for(self.viewer, access.contest_for(self.viewer, slug))
        hand_over(team, self.user, access.member_of(team, membership_id))
        return Response(serializers.TeamShape(_facts(self.viewer, team)).data)


class ArchiveConsent(MemberView):
    @extend_schema(
        summary="Include your team’s files in the archive, or only their hashes",
        request=request_serializers.Consent,
        responses=request_serializers.Consent,
    )
    def post(self, request: Request, slug: str) -> Response:
        team = access.own_team_for(self.viewer, access.contest_for(self.viewer, slug))
        consents = self.read(request_serializers.Consent)["consent"]
        set_archive_consent(team, self.user, consents)
        return Response({"consent": consents})


class Join(MemberView):
    @extend_schema(
        summary="Join a team by an invitation",
        request=request_serializers.JoinToken,
        responses=serializers.TeamShape,
    )
    def post(self, request: Request) -> Response:
        if isinstance(request.auth, ApiToken) and request.auth.team_id is not None:
            raise PermissionDenied(_("A team's token cannot join a team."), code="token-of-a-team")
        data = self.read(request_serializers.JoinToken)
        team = teams.join_team(access.invitation_for(data["token"]), self.user)
        return Response(serializers.TeamShape(_facts(self.viewer, team)).data)
