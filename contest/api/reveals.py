"""The reveal of a round through the API: what its page shows, and the steps of its organisers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.closed_shape import ClosedShape
from contest.api.serializers import Shape
from contest.api.view import PublicView
from contest.models import Round, User
from contest.pages.reveal import organiser_context, shown_places, version_of
from contest.services.reveals import ACTS, act_on_reveal


class PlacedShape(Shape):
    """A row that has a place; ``value`` is its total as the board writes it."""

    place = s.IntegerField()
    name = s.CharField()
    value = s.CharField()
    is_house = s.BooleanField()


class RevealedShape(PlacedShape):
    frozen = s.IntegerField(allow_null=True, help_text="The place on the board as it stood still.")


class OrdersShape(Shape):
    frozen = PlacedShape(many=True)
    true = PlacedShape(many=True)


class RevealShape(Shape):
    """The revealed places, the best one first, and nothing of the others."""

    version = s.CharField()
    is_started = s.BooleanField()
    is_ended = s.BooleanField()
    column = s.CharField(help_text="What the values are.")
    places = RevealedShape(many=True)
    orders = OrdersShape(allow_null=True, help_text="Both orders, for organisers; null for everybody else.")


class RevealStep(ClosedShape):
    act = s.ChoiceField(ACTS)
    seen = s.IntegerField(
        min_value=0,
        max_value=1_000_000,
        default=0,
        help_text="How many places were revealed when you looked.",
    )


class RevealView(PublicView):
    scopes = {"GET": "read", "POST": "organise"}

    @extend_schema(summary="The reveal of a round, as far as it is", responses=RevealShape)
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.revealed_round_for(self.viewer, slug, round_slug)
        return Response(RevealShape(_state(self.viewer, round_)).data)

    @extend_schema(
        summary="Begin, move or end the reveal of a round (organisers)",
        request=RevealStep,
        responses=RevealShape,
        auth=[{"token": []}],  # type: ignore[list-item]
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        if not isinstance(request.user, User):
            self.permission_denied(request)
        round_ = access.organised_round_for(request.user, slug, round_slug)
        data = self.read(RevealStep)
        act_on_reveal(round_, request.user, data["act"], data["seen"])
        return Response(RevealShape(_state(request.user, round_)).data)


def _state(viewer: access.Viewer, round_: Round) -> dict[str, Any]:
    reveal = access.reveal_of(round_)
    orders = None
    if access.is_organiser(viewer, round_.contest):
        orders = organiser_context(round_, reveal)["orders"]
    return {**shown_places(round_, reveal), "version": version_of(round_, reveal), "orders": orders}
