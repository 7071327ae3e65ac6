"""What organisers read of their contest: its log, the signals of cheating, and the archive of it all."""

from __future__ import annotations

import tempfile
from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from contest import access
from contest.api import serializers
from contest.api.organisers_attacks import OrganiserView
from contest.api.view import valid
from contest.archive.importing import archive_contest
from contest.errors import Refused
from contest.forms.audit import AuditSearchForm
from contest.models import AuditEvent, Signal
from contest.records.audit import extend_chain, verify_chain
from contest.services.signals import request_signals

Shape = s.Serializer[Any]


class AuditQuery(Shape):
    """Everything is optional, as in the search of the page."""

    words = s.CharField(required=False, max_length=100, help_text="In the action, its subject, who, or why.")
    verb = s.CharField(required=False, max_length=60)
    since = s.DateField(required=False)
    until = s.DateField(required=False)


class AuditShape(Shape):
    id = s.IntegerField(source="pk")
    number = s.IntegerField(allow_null=True, help_text="Its place in the chain of hashes.")
    hash = s.CharField(allow_blank=True)
    at = s.DateTimeField()
    actor = s.CharField(source="actor_name", allow_blank=True)
    verb = s.CharField()
    subject = s.CharField()
    before = s.DictField()
    after = s.DictField()
    reason = s.CharField(allow_blank=True)


class ChainShape(Shape):
    rows = s.IntegerField(help_text="How many rows from the first on are as they were written.")
    problem = s.CharField(allow_blank=True, help_text="What is wrong with the next row; empty if nothing is.")


class SignalShape(Shape):
    id = s.IntegerField(source="pk")
    kind = s.ChoiceField(Signal.Kind.choices)
    entry_id = s.IntegerField()
    other_id = s.IntegerField(allow_null=True)
    attack_id = s.IntegerField(allow_null=True)
    other_attack_id = s.IntegerField(allow_null=True)
    strength = s.FloatField()
    threshold = s.FloatField()
    detail = s.DictField()
    found_at = s.DateTimeField()


class Audit(OrganiserView):
    @extend_schema(
        summary="The log of a contest, newest first", parameters=[AuditQuery], responses=AuditShape(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        form = valid(AuditSearchForm(contest, request.query_params))
        return self.paged(form.narrowed(AuditEvent.objects.filter(contest=contest)), AuditShape)


class AuditCheck(OrganiserView):
    @extend_schema(summary="Compute every hash of the log’s chain again", request=None, responses=ChainShape)
    def post(self, request: Request, slug: str) -> Response:
        contest = access.organised_contest_for(self.viewer, slug)
        extend_chain(contest.pk)
        number, problem = verify_chain(contest.pk)
        return Response({"rows": number, "problem": problem})


class Signals(OrganiserView):
    @extend_schema(
        summary="Signals of cheating in a round: evidence to look at, never a verdict",
        responses=SignalShape(many=True),
    )
    def get(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        return self.paged(Signal.objects.filter(round=round_), SignalShape)

    @extend_schema(
        summary="Let a worker look for signals of cheating",
        request=None,
        responses={201: serializers.JobShape},
    )
    def post(self, request: Request, slug: str, round_slug: str) -> Response:
        round_ = access.organised_round_for(self.viewer, slug, round_slug)
        return Response(serializers.JobShape(request_signals(round_, self.user)).data, 201)


class ArchiveView(OrganiserView):
    @extend_schema(
        summary="Write the archive of a contest and send it; refused while work is under way",
        request=None,
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def post(self, request: Request, slug: str) -> FileResponse:
        contest = access.organised_contest_for(self.viewer, slug)
        target = tempfile.TemporaryFile()  # noqa: SIM115  # the response closes it
        try:
            archive_contest(contest, target, self.user)
        except Refused:
            target.close()
            raise
        target.seek(0)
        return FileResponse(
            target, as_attachment=True, filename=f"{contest.slug}.zip", content_type="application/zip"
        )
