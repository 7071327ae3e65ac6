from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework.fields import BooleanField, IntegerField
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import organiser_serializers, request_serializers, serializers
from contest.api.view import MemberView, valid
from contest.board import queries
from contest.forms.organise import OrganiserForm
from contest.models import AttackRun, Contest, HouseOrder, Organiser, User
from contest.operations import overview
from contest.services.attacks import add_house_attack, rerun, set_attack_active
from contest.services.house import request_house_entry, retry_house_entry
from contest.services.settings import add_organiser, remove_organiser

Steered = inline_serializer("Steered", {"is_active": BooleanField(),
                                        "queued": IntegerField()})  # fmt: skip

Queued = inline_serializer("Queued", {"queued": IntegerField()})


class OrganiserView(MemberView):
    scopes = {"GET": "organise", "POST": "organise"}


class Jobs(OrganiserView):
    @extend_schema(summary="The jobs of a contest, newest first", responses=serializers.JobShape(many=True))
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(access.jobs_of(contest), serializers.JobShape)


class Queues(OrganiserView):
    @extend_schema(
        summary="How much work waits on the whole installation, and who does it",
        responses=organiser_serializers.QueueShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        access.organised_contest_for(self.viewer, slug)
        return self.paged(overview.queues(), organiser_serializers.QueueShape)


class HouseEntries(OrganiserView):
    @extend_schema(
        summary="The house entries that were ordered, newest first",
        responses=serializers.HouseOrderShape(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        orders = HouseOrder.objects.filter(round__contest=contest).select_related("round").order_by("-id")
        return self.paged(orders, serializers.HouseOrderShape)

    @extend_schema(
        summary="Let the house make an entry",
        request=request_serializers.HouseEntryOrder,
        responses={201: serializers.JobShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        access.organised_contest_for(self.viewer, slug)
        data = self.read(request_serializers.HouseEntryOrder)
        round_ = access.round_for(self.viewer, slug, data["round"])
        order = request_house_entry(round_, self.user, data["method"], data["parameters"])
        return Response(serializers.JobShape(order.jobs.get()).data, 201)


class HouseEntryRetry(OrganiserView):
    @extend_schema(
        summary="Try again to make a house entry that could not be made",
        request=None,
        responses={201: serializers.JobShape},
    )
    def post(self, request: Request, slug: str, house_order_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        job = retry_house_entry(access.house_order_of(contest, house_order_id), self.user)
        return Response(serializers.JobShape(job).data, 201)


class Rerun(OrganiserView):
    @extend_schema(
        summary="Run one cell of the matrix again, or all attacks on an entry",
        request=request_serializers.Rerun,
        responses=Queued,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(request_serializers.Rerun)
        keys = (str(data[name]) if name in data else None for name in ("run", "entry"))
        return Response({"queued": rerun(access.runs_of(contest, *keys), self.user, data["reason"])})


class Steer(OrganiserView):
    @extend_schema(
        summary="Stop or resume an attack, or run its cells again",
        request=request_serializers.Steering,
        responses=Steered,
    )
    def post(self, request: Request, slug: str, attack_id: int) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        attack = access.attack_of(contest, attack_id)
        data = self.read(request_serializers.Steering)
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
        summary="The attacks of a contest, with their progress",
        responses=organiser_serializers.AttackState(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(queries.attack_states(contest), organiser_serializers.AttackState)

    @extend_schema(
        summary="Let a house attack take part in a round; valid entries are attacked too",
        request=organiser_serializers.HouseAttackOrder,
        responses={201: serializers.AttackShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        access.organised_contest_for(self.viewer, slug)
        data = self.read(organiser_serializers.HouseAttackOrder)
        round_ = access.organised_round_for(self.viewer, slug, data["round"])
        return Response(
            serializers.AttackShape(add_house_attack(round_, data["attack"], self.user)).data, 201
        )


class Organisers(OrganiserView):
    @extend_schema(
        summary="Who organises a contest", responses=organiser_serializers.OrganiserShape(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        return self.paged(_organisers(contest), organiser_serializers.OrganiserShape)

    @extend_schema(
        summary="Let somebody else organise too, or no more",
        request=organiser_serializers.OrganiserOrder,
        responses=organiser_serializers.OrganisersChanged,
    )
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        data = self.read(organiser_serializers.OrganiserOrder)
        person: User = valid(OrganiserForm(data)).cleaned_data["username"]
        change = add_organiser if data["act"] == "add" else remove_organiser
        change(contest, self.user, person)
        return Response(organiser_serializers.OrganisersChanged({"organisers": _organisers(contest)}).data)


def _organisers(contest: Contest) -> QuerySet[Organiser]:
    return contest.organisers.select_related("user").order_by("pk")
