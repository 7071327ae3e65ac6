from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access, operations, queries
from contest.api import orders, requests, shapes
from contest.api.view import MemberView, valid
from contest.forms.organise import OrganiserForm
from contest.models import AttackRun, Contest, Organiser, User
from contest.services.attacks import add_house_attack, rerun, set_attack_active
from contest.services.house import request_house_entry
from contest.services.settings import add_organiser, remove_organiser

Steered = inline_serializer("Steered", {"is_active": serializers.BooleanField(),
                                        "queued": serializers.IntegerField()})  # fmt: skip

Queued = inline_serializer("Queued", {"queued": serializers.IntegerField()})


class OrganiserView(MemberView):
    scopes = {"GET": "organise", "POST": "organise"}


class Jobs(OrganiserView):
    @extend_schema(summary="The jobs of a contest, newest first", responses=shapes.JobShape(many=True))
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(access.jobs_of(contest), shapes.JobShape)


class Queues(OrganiserView):
    @extend_schema(
        summary="How much work waits on the whole installation, and who does it",
        responses=orders.QueueShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        access.organised_contest_for(self.viewer, slug)
        return self.paged(operations.queues(), orders.QueueShape)


class HouseEntries(OrganiserView):
    @extend_schema(
        summary="Let the house make an entry",
        request=requests.HouseEntryOrder,
        responses={201: shapes.JobShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        access.organised_contest_for(self.viewer, slug)
        data = self.read(requests.HouseEntryOrder)
        round_ = access.round_for(self.viewer, slug, data["round"])
        job = request_house_entry(round_, self.user, data["method"], data["parameters"])
        return Response(shapes.JobShape(job).data, 201)


class Rerun(OrganiserView):
    @extend_schema(
        summary="Run one cell of the matrix again, or all attacks on an entry",
        request=requests.Rerun,
        responses=Queued,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(requests.Rerun)
        keys = (str(data[name]) if name in data else None for name in ("run", "entry"))
        return Response({"queued": rerun(access.runs_of(contest, *keys), self.user, data["reason"])})


class Steer(OrganiserView):
    @extend_schema(
        summary="Stop or resume an attack, or run its cells again",
        request=requests.Steering,
        responses=Steered,
    )
    def post(self, request: Request, slug: str, attack_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        attack = access.attack_of(contest, attack_id)
        data = self.read(requests.Steering)
        queued = 0
        if data["act"] in {"stop", "resume"}:
            set_attack_active(attack, self.user, data["act"] == "resume")
        else:
            runs = attack.runs.select_related("attack", "entry__round__contest")
            chosen = runs.filter(state=AttackRun.State.FAILED) if data["act"] == "rerun-failed" else runs
            queued = rerun(list(chosen), self.user, data["reason"])
        return Response({"is_active": attack.is_active, "queued": queued})


class Attacks(OrganiserView):
    @extend_schema(
        summary="The attacks of a contest, with how far they are", responses=orders.AttackState(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(queries.attack_states(contest), orders.AttackState)

    @extend_schema(
        summary="Let a house attack take part in a round; valid entries are attacked too",
        request=orders.HouseAttackOrder,
        responses={201: shapes.AttackShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        access.organised_contest_for(self.viewer, slug)
        data = self.read(orders.HouseAttackOrder)
        round_ = access.organised_round_for(self.viewer, slug, data["round"])
        return Response(shapes.AttackShape(add_house_attack(round_, data["attack"], self.user)).data, 201)


class Organisers(OrganiserView):
    @extend_schema(summary="Who organises a contest", responses=orders.OrganiserShape(many=True))
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(_organisers(contest), orders.OrganiserShape)

    @extend_schema(
        summary="Let somebody else organise too, or no more",
        request=orders.OrganiserOrder,
        responses=orders.OrganisersChanged,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(orders.OrganiserOrder)
        person: User = valid(OrganiserForm(data)).cleaned_data["username"]
        change = add_organiser if data["act"] == "add" else remove_organiser
        change(contest, self.user, person)
        return Response(orders.OrganisersChanged({"organisers": _organisers(contest)}).data)


def _organisers(contest: Contest) -> QuerySet[Organiser]:
    return contest.organisers.select_related("user").order_by("pk")
