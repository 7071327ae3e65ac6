"""What the house makes for a team: what it offers in a round, orders, how far they are, and their files."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.serializers import Shape, Words
from contest.api.view import MemberView, PublicView
from contest.files import vault
from contest.jobs.queue_estimates import wait_for
from contest.language.game_words import help_of
from contest.language.translation import say
from contest.models import Job, Round, TeamOrder
from contest.pages.team_orders import offer_of
from contest.play.offers import offered_attacks, offered_methods
from contest.services.entries import MAX_NOTE
from contest.services.team_orders import Asked, request_answer, request_entry
from datasets.seeds import SEED_LIMIT
from games.contract.declaration import Method


class OfferedParameterShape(Shape):
    name = s.CharField()
    meaning = s.CharField(allow_blank=True)
    expected = s.CharField(help_text="What a value must be, in words.")
    default = s.JSONField(allow_null=True)


class OfferShape(Shape):
    name = s.CharField()
    title = s.CharField()
    meaning = s.CharField(allow_blank=True)
    parameters = OfferedParameterShape(many=True)


class HouseOffersShape(Shape):
    """What the house makes for teams of a round."""

    methods = OfferShape(many=True, help_text="They hide people: for `what: entry`.")
    attacks = OfferShape(many=True, help_text="They seek people: for `what: answer`.")


class OrderShape(Shape):
    """What a team asked the house to make, and what became of it; its members alone see it."""

    id = s.IntegerField(source="pk")
    what = s.ChoiceField(TeamOrder.What.choices)
    method = s.CharField()
    parameters = s.DictField()
    seed = s.CharField(help_text="A whole number, as text: it may be too large for a number of JavaScript.")
    targets = s.ListField(child=s.IntegerField())
    note = s.CharField(allow_blank=True)
    hand_in = s.BooleanField(source="is_handed_in")
    state = s.ChoiceField(TeamOrder.State.choices)
    reason = Words(allow_blank=True)
    queue_position = s.SerializerMethodField()
    entry = s.IntegerField(source="entry_id", allow_null=True, help_text="The entry that it became.")
    attack = s.IntegerField(source="attack_id", allow_null=True, help_text="The attack that it became.")
    requested_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)

    def get_queue_position(self, order: TeamOrder) -> int | None:
        wait = None if order.is_final else wait_for(Job.objects.filter(team_order=order))
        return wait.position if wait else None


class OrderRequest(Shape):
    what = s.ChoiceField(TeamOrder.What.choices)
    method = s.CharField(max_length=60, help_text="The name of an offered method, or of an offered attack.")
    parameters = s.DictField(required=False, default=dict, help_text="Those left out have their defaults.")
    seed = s.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        max_value=SEED_LIMIT - 1,
        help_text="Leave it out, and a secret one is drawn.",
    )
    slot = s.CharField(required=False, allow_blank=True, default="", max_length=40)
    targets = s.ListField(
        child=s.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        default=list,
        max_length=10_000,
        help_text="Of an answer: the ids of targets; all of them if there is none.",
    )
    note = s.CharField(required=False, allow_blank=True, default="", max_length=MAX_NOTE)
    hand_in = s.BooleanField(default=False, help_text="Hand it in once it is made; it then uses an attempt.")


def _offer(method: Method) -> dict[str, Any]:
    parameters = [
        {
            "name": setting.name,
            "meaning": help_of(setting) or say(setting.label),
            "expected": say(setting.expected),
            "default": setting.default,
        }
        for setting in method.parameters
    ]
    offer = offer_of(method)
    return {"name": offer.name, "title": offer.title, "meaning": offer.meaning, "parameters": parameters}


def _ordered(round_: Round, view: MemberView, data: dict[str, Any]) -> TeamOrder:
    team = access.own_team_for(view.viewer, round_.contest)
    names = ("method", "parameters", "seed", "slot", "targets", "note")
    asked = Asked(**{name: data[name] for name in names}, is_handed_in=data["hand_in"])
    ask = request_entry if data["what"] == TeamOrder.What.ENTRY else request_answer
    return ask(round_, team, view.user, asked)


class HouseOffers(PublicView):
    @extend_schema(summary="The house methods and house attacks of a round", responses=HouseOffersShape)
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        methods, attacks = offered_methods(round_), offered_attacks(round_)
        offers = {"methods": [_offer(it) for it in methods], "attacks": [_offer(it) for it in attacks]}
        return Response(HouseOffersShape(offers).data)


class Orders(MemberView):
    @extend_schema(
        summary="What your team asked the house to make, newest first", responses=OrderShape(many=True)
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        return self.paged(access.orders_for(self.viewer, round_), OrderShape)

    @extend_schema(
        summary="Let the house make an entry by a method, or an answer by an attack; one at a time",
        request=OrderRequest,
        responses={201: OrderShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.round_for(self.viewer, slug, round_slug)
        access.own_team_for(self.viewer, round_.contest)
        return Response(OrderShape(_ordered(round_, self, self.read(OrderRequest))).data, 201)


class OrderDetail(MemberView):
    @extend_schema(summary="How far an order is, and what it became", responses=OrderShape)
    def get(self, request: Request, slug: str, round_slug: str, team_order_id: int) -> Response:
        return Response(OrderShape(access.order_for(self.viewer, slug, round_slug, team_order_id)).data)


class OrderFiles(MemberView):
    @extend_schema(
        summary="The files that the house made, as a zip",
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str, round_slug: str, team_order_id: int) -> HttpResponseBase:
        order = access.order_for(self.viewer, slug, round_slug, team_order_id)
        if not order.file_sha256:
            raise Http404
        name = f"{slug}-{round_slug}-{order.method}.zip"
        return FileResponse(vault.open_order(order), as_attachment=True, filename=name)
