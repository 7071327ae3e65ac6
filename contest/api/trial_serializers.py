"""Trials of other versions of a game as the API shows them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from contest.api.serializers import Shape, Words
from contest.models import Trial


class TrialShape(Shape):
    """Another version of a round's game, tried beside the one in force."""

    id = s.IntegerField(source="pk")
    round = s.CharField(source="round.slug")
    game = s.CharField(help_text="The version that is tried.")
    game_before = s.CharField(help_text="The version that was in force.")
    state = s.ChoiceField(Trial.State.choices)
    requested_by = s.CharField(source="requested_by.username", allow_null=True, default=None)
    decided_by = s.CharField(source="decided_by.username", allow_null=True, default=None)
    decided_at = s.DateTimeField(allow_null=True)
    reason = s.CharField(allow_blank=True)


class TrialCountsShape(Shape):
    moved = s.IntegerField(help_text="Places on boards that would change.")
    invalid = s.IntegerField(help_text="Entries that would become invalid.")
    valid = s.IntegerField(help_text="Entries that would become valid.")
    results = s.IntegerField(help_text="Results of attacks that would change.")


class ChangedNumberShape(Shape):
    """A number before and after."""

    name = s.CharField()
    before = s.FloatField(allow_null=True)
    after = s.FloatField(allow_null=True)


class _Changes(Shape):
    changed = s.SerializerMethodField()

    @extend_schema_field(ChangedNumberShape(many=True))
    def get_changed(self, row: Any) -> list[dict[str, Any]]:
        return [{"name": name, "before": old, "after": new} for name, old, new in row["changed"]]


class MovedShape(_Changes):
    """A row of a board whose place or numbers would change."""

    board = s.CharField()
    name = s.CharField(source="key")
    kind = s.CharField()
    place_before = s.IntegerField(source="before.place", allow_null=True)
    place_after = s.IntegerField(source="after.place", allow_null=True)


class ChangedEntryShape(_Changes):
    id = s.IntegerField(source="entry")
    name = s.CharField()
    state_before = s.CharField(source="before.state")
    state_after = s.CharField(source="after.state")


class ChangedRunShape(_Changes):
    attack = s.CharField()
    target = s.CharField(source="name")
    challenge = s.CharField()
    risk_before = s.FloatField(source="before.risk", allow_null=True)
    risk_after = s.FloatField(source="after.risk", allow_null=True)


class TrialDetailShape(Shape):
    trial = TrialShape()
    why_failed = Words(source="trial.why_failed")
    log = s.CharField(source="trial.log", allow_blank=True, trim_whitespace=False)
    counts = TrialCountsShape()
    places = MovedShape(many=True)
    entries = ChangedEntryShape(many=True)
    runs = ChangedRunShape(many=True)


class TrialOrder(Shape):
    game = s.IntegerField(min_value=1, help_text="The id of a game that was uploaded with the contest.")


class TrialDecision(Shape):
    act = s.ChoiceField(["live", "discard", "again"])
    reason = s.CharField(
        required=False, allow_blank=True, default="", max_length=300, help_text="Needed to make it live."
    )
