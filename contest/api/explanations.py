"""How a number was computed, from its inputs to the versions of the code."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api.view import PublicView
from contest.pages.explanations import explain

Shape = s.Serializer[Any]


class InputShape(Shape):
    name = s.CharField()
    value = s.JSONField()
    cell = s.CharField(allow_blank=True, help_text="The cell that explains it, if there is one.")


class VersionShape(Shape):
    name = s.CharField()
    version = s.CharField()


class ExplanationShape(Shape):
    cell = s.CharField()
    title = s.CharField()
    value = s.FloatField(allow_null=True)
    formula = s.CharField()
    inputs = InputShape(many=True)
    versions = VersionShape(many=True)
    documentation = s.CharField(allow_blank=True)
    files = s.DictField(child=s.CharField(), help_text="Name → sha256.")


class How(PublicView):
    @extend_schema(summary="How a number of an entry was computed", responses=ExplanationShape)
    def get(self, request: Request, slug: str, round_slug: str, entry_id: int, cell: str) -> Response:
        entry = access.entry_for(self.viewer, slug, round_slug, entry_id)
        if entry.round.game_id is not None:
            # As on the page: what a game measures, its own code explains.
            raise Http404
        explained = explain(self.viewer, entry, cell)
        inputs = [{"name": name, "value": value, "cell": of} for name, value, of in explained.inputs]
        versions = [{"name": name, "version": str(version)} for name, version in explained.versions]
        answer = {**vars(explained), "inputs": inputs, "versions": versions}
        return Response(ExplanationShape(answer).data)
