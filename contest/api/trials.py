"""Another version of a game: tried on a round, shown as a difference, made live or discarded."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import trial_serializers as shapes
from contest.api.organisers_attacks import OrganiserView
from contest.api.view import valid
from contest.forms.phases import ReasonForm
from contest.models import Trial
from contest.pages.games.trials import trial_shown
from contest.services.trials import discard_trial, make_live, repeat_trial, try_version

RELATED = ("round", "game", "game_before", "requested_by", "decided_by")


def _detail(trial: Trial, status: int = 200) -> Response:
    trial.refresh_from_db()
    return Response(shapes.TrialDetailShape({"trial": trial, **trial_shown(trial)}).data, status)


class Trials(OrganiserView):
    @extend_schema(
        summary="The versions of a round's game that were tried, newest first",
        responses=shapes.TrialShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        return self.paged(round_.trials.select_related(*RELATED).order_by("-pk"), shapes.TrialShape)

    @extend_schema(
        summary="Let a worker try an uploaded version on all entries and answers; nothing live changes",
        request=shapes.TrialOrder,
        responses={201: shapes.TrialDetailShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        package = access.game_of(round_.contest, self.read(shapes.TrialOrder)["game"])
        return _detail(try_version(round_, self.user, package), 201)


class TrialDetail(OrganiserView):
    @extend_schema(
        summary="A trial: who would move and why, entries that change, results that change",
        responses=shapes.TrialDetailShape,
    )
    def get(self, request: Request, slug: str, trial_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return _detail(access.trial_of(contest, trial_id))

    @extend_schema(
        summary="Make a tried version live with a reason, discard it, or try it again",
        request=shapes.TrialDecision,
        responses=shapes.TrialDetailShape,
    )
    def post(self, request: Request, slug: str, trial_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        found, data = access.trial_of(contest, trial_id), self.read(shapes.TrialDecision)
        if data["act"] == "live":
            make_live(found, self.user, valid(ReasonForm(data)).cleaned_data["reason"])
        elif data["act"] == "discard":
            discard_trial(found, self.user)
        else:
            repeat_trial(found, self.user)
        return _detail(found)
