"""What organisers may send, and what they get back."""

from __future__ import annotations

import dataclasses
from typing import Any

from rest_framework import serializers as s

from contest.api.closed_shape import ClosedShape
from contest.api.round_serializers import LimitShape
from contest.api.serializers import AttackShape
from contest.api.setting_fields import AnyField, field_of, fields_of
from contest.bundle.declared import ROUND
from contest.bundle.expectations import one_of
from contest.declarations.contest import CONTEST
from contest.declarations.phase import ENDS_AT, KIND, SHIFT, STARTS_AT
from contest.declarations.round import NAMED
from contest.language.refusals import say_expected
from contest.models import Membership, Phase, Rescore, Round, Team
from contest.names.tracks import LONGEST_NAME
from contest.services.odd_times import remarks_on
from datasets.messages import english
from datasets.problems import shown
from datasets.setting import NOTHING
from games.formats.guessing import GAMES
from games.formats.limits import LIMIT, OPERATOR, WrongWay, measure_setting, operator_for
from games.formats.rules import RULES, FileRules

Shape = s.Serializer[Any]
LARGEST_KEY = 2**63 - 1


class Reason(Shape):
    reason = s.CharField(required=False, allow_blank=True, default="", max_length=300)


class GivenReason(ClosedShape):
    reason = s.CharField(max_length=300)


class TrackOrder(GivenReason):
    track = s.CharField(max_length=LONGEST_NAME, help_text="The name of a track of the contest.")


class ContestFields(ClosedShape):
    def get_fields(self) -> dict[str, AnyField]:
        return fields_of(CONTEST, required=False)


class RuleFields(Shape):
    """File rules. A rule that the round's format lacks may be sent as it is, but not changed."""

    def get_fields(self) -> dict[str, AnyField]:
        return fields_of(RULES, required=False)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        round_: Round | None = self.context.get("round")
        if round_ is not None and isinstance(data, dict):
            now = dataclasses.asdict(FileRules(**round_.file_rules))
            known = [rule.name for rule in RULES if rule.name in round_.dataset.spec.rules]
            foreign = [name for name in data if name not in known and data[name] != now.get(name, NOTHING)]
            if foreign:
                text = say_expected(shown(foreign[0]), one_of(known, foreign[0]))
                raise s.ValidationError({foreign[0]: text}, code="unknown-rule")
        rules: dict[str, Any] = super().to_internal_value(data)
        return dict(rules)


class RoundFields(ClosedShape):
    file_rules = RuleFields(required=False)

    def get_fields(self) -> dict[str, AnyField]:
        return {**fields_of(ROUND, required=False), **super().get_fields()}


class Change(ClosedShape):
    """Can be previewed, is refused if somebody else has changed the same meanwhile, and needs a reason."""

    version = s.IntegerField(min_value=1)
    preview = s.BooleanField(default=False, help_text="Only show the consequences.")
    reason = s.CharField(max_length=300)


class ContestChange(Change):
    settings = ContestFields()


class RoundChange(Change):
    settings = RoundFields()


class ConsequenceShape(Shape):
    code = s.CharField()
    count = s.IntegerField()
    text = s.CharField()


class RoundOrder(Change):
    """A round like another of the contest, or like one of a preset; all else is changed in its settings."""

    version = s.IntegerField(min_value=1, help_text="The version of the contest's settings that you saw.")
    like = s.CharField(max_length=120, help_text="`round/practice` of this contest, or `preset/NAME/final`.")
    starts_at = field_of(STARTS_AT, help_text="When its first phase begins; the others follow.")

    def get_fields(self) -> dict[str, AnyField]:
        return {**super().get_fields(), **fields_of(NAMED)}


class Removal(Change):
    """Of a round that nobody has played."""


class ShiftOrder(Change):
    """Everything of a round that is still to come moves by the same time; of an open phase, the end."""

    version = s.IntegerField(min_value=1, help_text="The version of the round's settings that you saw.")

    def get_fields(self) -> dict[str, AnyField]:
        return {**super().get_fields(), **fields_of(SHIFT, required=False, default=0)}


class Consequences(Shape):
    consequences = ConsequenceShape(many=True)


class SettingsShape(Shape):
    version = s.IntegerField()
    settings = s.DictField()


class ChangedShape(SettingsShape):
    consequences = ConsequenceShape(many=True)


class PhaseOrder(ClosedShape):
    act = s.ChoiceField(
        ["open", "close", "extend", "reopen", "move", "remove"],
        help_text="To open a phase ends those before it now; what has not begun of them is left out.",
    )
    starts_at = field_of(STARTS_AT, required=False)
    ends_at = field_of(ENDS_AT, required=False)
    move_later = s.BooleanField(default=False)
    seen_ends_at = s.DateTimeField(required=False, help_text="Refused if the phase has another end by now.")
    reason = s.CharField(max_length=300)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["act"] in {"extend", "reopen", "move"} and "ends_at" not in attrs:
            raise s.ValidationError({"ends_at": "This action needs the new end."}, code="required")
        return attrs


class NewPhase(ClosedShape):
    version = s.IntegerField(min_value=1, help_text="The version of the round's settings that you saw.")
    kind = field_of(KIND)
    starts_at = field_of(STARTS_AT)
    ends_at = field_of(ENDS_AT)
    reason = s.CharField(max_length=300)


class PhaseState(Shape):
    id = s.IntegerField(source="pk")
    kind = s.ChoiceField(Phase.Kind.choices)
    starts_at = s.DateTimeField()
    ends_at = s.DateTimeField()
    opened_at = s.DateTimeField(allow_null=True)
    closed_at = s.DateTimeField(allow_null=True)
    remarks = s.SerializerMethodField(help_text="What is unusual about its end: a weekend, or the night.")

    def get_remarks(self, phase: Phase) -> list[str]:
        return remarks_on([phase], phase.round.contest.zone)


class RepairOrder(Shape):
    entries = s.ListField(
        child=s.IntegerField(min_value=1, max_value=LARGEST_KEY), min_length=1, max_length=1000
    )
    act = s.ChoiceField(["void", "unvoid", "disqualify", "give-back"])
    reason = s.CharField(max_length=300)


class EntryMark(Shape):
    id = s.IntegerField(source="pk")
    mark = s.CharField(allow_blank=True)
    mark_reason = s.CharField(allow_blank=True)
    is_official = s.BooleanField()
    costs_attempt = s.BooleanField()


class Repaired(Shape):
    entries = EntryMark(many=True)


class TeamOrder(Shape):
    teams = s.ListField(
        child=s.IntegerField(min_value=1, max_value=LARGEST_KEY), min_length=1, max_length=1000
    )
    act = s.ChoiceField(["approve", "lock", "unlock", "remove", "restore", "merge"])
    into = s.IntegerField(
        required=False, min_value=1, max_value=LARGEST_KEY, help_text="The team that the others join."
    )
    reason = s.CharField(required=False, allow_blank=True, default="", max_length=300)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["act"] == "merge" and "into" not in attrs:
            raise s.ValidationError({"into": "A merger needs the team to join."}, code="required")
        return attrs


class TeamMember(Shape):
    id = s.IntegerField(source="pk")
    name = s.CharField(source="user.username")
    role = s.ChoiceField(Membership.Role.choices)


class TeamState(Shape):
    id = s.IntegerField(source="pk")
    name = s.CharField()
    is_house = s.BooleanField()
    track = s.CharField(allow_blank=True)
    status = s.ChoiceField(Team.Status.choices)
    status_reason = s.CharField(allow_blank=True)
    merged_into = s.IntegerField(source="merged_into_id", allow_null=True)
    members = TeamMember(source="memberships.all", many=True)


class TeamsChanged(Shape):
    teams = TeamState(many=True)


class LimitOrder(ClosedShape):
    """A limit on a measure of the round's format."""

    operator = field_of(OPERATOR, required=False, default=None)
    limit = field_of(LIMIT)

    def get_fields(self) -> dict[str, AnyField]:
        measure = measure_setting(self.context.get("format"))
        return {"measure": field_of(measure), **super().get_fields()}


class ProposalShape(Shape):
    kept_by = s.IntegerField(help_text="How many of the house entries keep all of these limits.")
    of = s.IntegerField(help_text="How many house entries are measured.")
    limits = LimitShape(many=True)


class Proposals(Shape):
    proposals = ProposalShape(many=True)


class RescoreOrder(ClosedShape):
    limits = LimitOrder(many=True)
    reason = s.CharField(max_length=300)

    def validate_limits(self, limits: list[dict[str, Any]]) -> list[dict[str, Any]]:
        names = [limit["measure"] for limit in limits]
        if len(set(names)) != len(names):
            raise s.ValidationError("A measure can have one limit.", code="measure-twice")
        try:
            return [{**it, "operator": operator_for(it["measure"], it["operator"])} for it in limits]
        except WrongWay as wrong:
            raise s.ValidationError(str(wrong), code="limit-wrong-way") from None


class PreviewRow(s.DictField):
    """What a change of limits does to an entry; why is said in English."""

    def to_representation(self, value: Any) -> dict[str, Any]:
        return {**value, "because": [english(reason) for reason in value.get("because", [])]}


class RescoreShape(Shape):
    id = s.IntegerField(source="pk")
    state = s.ChoiceField(Rescore.State.choices)
    limits = s.ListField(child=s.DictField())
    limits_before = s.ListField(child=s.DictField())
    preview = s.ListField(child=PreviewRow())
    reason = s.CharField()
    created_at = s.DateTimeField()
    decided_at = s.DateTimeField(allow_null=True)


class Decision(Shape):
    act = s.ChoiceField(["apply", "discard"])


class Workers(Shape):
    workers = s.IntegerField(min_value=1, max_value=1000, required=False)


class LoadShape(Shape):
    attack = s.CharField(source="attack.label")
    seconds = s.FloatField(allow_null=True)
    is_measured = s.BooleanField()
    waiting = s.IntegerField()
    expected = s.IntegerField()


class CapacityShape(Shape):
    workers = s.IntegerField(help_text="With 0 there is no estimate, unless nothing is to be done.")
    n_targets = s.IntegerField()
    n_missing = s.IntegerField()
    estimate_seconds = s.FloatField(allow_null=True)
    left_seconds = s.FloatField(allow_null=True)
    fits = s.BooleanField(allow_null=True)
    loads = LoadShape(many=True)


class AttackState(AttackShape):
    round = s.SlugField(source="round.slug")
    n_runs = s.IntegerField()
    n_done = s.IntegerField()
    n_failed = s.IntegerField()
    mean_seconds = s.FloatField(allow_null=True)


class HouseAttackOrder(Shape):
    round = s.SlugField()
    attack = s.ChoiceField(sorted({attack.name for game in GAMES for attack in game.attacks}))


class OrganiserShape(Shape):
    name = s.CharField(source="user.username")


class OrganiserOrder(Shape):
    act = s.ChoiceField(["add", "remove"])
    username = s.CharField(max_length=40)


class OrganisersChanged(Shape):
    organisers = OrganiserShape(many=True)


class QueueShape(Shape):
    name = s.CharField()
    waiting = s.IntegerField()
    running = s.IntegerField()
    oldest = s.DateTimeField(allow_null=True, help_text="When the oldest job was queued.")
    workers = s.IntegerField()
