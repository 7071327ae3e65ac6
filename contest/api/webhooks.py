"""Addresses that receive news: the organisers' under the contest, a team's under the team."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.view import MemberView
from contest.models import Contest, Delivery, Team, Webhook
from contest.outside.safe_http import LONGEST_ADDRESS
from contest.outside.webhooks import create_webhook, end_webhook

Shape = s.Serializer[Any]
ORGANISERS: dict[str, str] = {"GET": "organise", "POST": "organise", "DELETE": "organise"}


class WebhookOrder(Shape):
    url = s.CharField(
        max_length=LONGEST_ADDRESS, help_text="Begins with https:// and is reachable from the open network."
    )


class WebhookShape(Shape):
    id = s.IntegerField(source="pk")
    url = s.CharField()
    created_at = s.DateTimeField()
    failures = s.IntegerField(help_text="Consecutive deliveries that were given up.")
    ended_at = s.DateTimeField(allow_null=True)
    ended_because = s.CharField(allow_blank=True)


class NewWebhookShape(WebhookShape):
    secret = s.CharField(help_text="Signs what is sent. Shown only this once.")


class DeliveryShape(Shape):
    id = s.IntegerField(source="pk")
    webhook_id = s.IntegerField()
    event = s.IntegerField(help_text="Its number in the feed.")
    kind = s.CharField()
    state = s.ChoiceField(Delivery.State.choices)
    tries = s.IntegerField()
    status = s.IntegerField(allow_null=True, help_text="What the address answered last.")
    reason = s.CharField(allow_blank=True)
    created_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)


class WebhookView(MemberView):
    """For whom: a person either organises a contest or plays in it, and each route is for one of them."""

    is_for_team: ClassVar[bool] = False

    def owner(self, slug: str) -> tuple[Contest, Team | None]:
        if not self.is_for_team:
            access.organised_contest_for(self.viewer, slug)
        contest, team = access.webhook_owner(self.viewer, slug)
        if self.is_for_team and team is None:
            team = access.own_team_for(self.viewer, contest)
        return contest, team

    def hooks(self, slug: str) -> QuerySet[Webhook]:
        self.owner(slug)
        return access.webhooks_for(self.viewer, slug)


class TeamWebhooks(WebhookView):
    is_for_team = True

    @extend_schema(
        summary="The addresses to which news is sent, ended ones too", responses=WebhookShape(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.hooks(slug).order_by("pk"), WebhookShape)

    @extend_schema(
        summary="Let news be sent to an address", request=WebhookOrder, responses={201: NewWebhookShape}
    )
    def post(self, request: Request, slug: str) -> Response:
        contest, team = self.owner(slug)
        made, secret = create_webhook(contest, self.user, self.read(WebhookOrder)["url"], team)
        return Response({**WebhookShape(made).data, "secret": secret}, 201)


class TeamWebhook(WebhookView):
    is_for_team = True

    @extend_schema(summary="Send nothing more to an address", request=None, responses={204: None})
    def delete(self, request: Request, slug: str, webhook_id: int) -> Response:
        self.owner(slug)
        end_webhook(access.webhook_for(self.viewer, slug, webhook_id), self.user)
        return Response(status=204)


class TeamDeliveries(WebhookView):
    is_for_team = True

    @extend_schema(
        summary="What was sent to your addresses, newest first", responses=DeliveryShape(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(Delivery.objects.filter(webhook__in=self.hooks(slug)), DeliveryShape)


class Webhooks(TeamWebhooks):
    is_for_team, scopes = False, ORGANISERS


class WebhookDetail(TeamWebhook):
    is_for_team, scopes = False, ORGANISERS


class Deliveries(TeamDeliveries):
    is_for_team, scopes = False, ORGANISERS
