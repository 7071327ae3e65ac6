"""What organisers may send, and what they are answered."""

from __future__ import annotations

import zoneinfo
from typing import Any

from rest_framework import serializers as s

from attacks.games import GAMES
from contest.api.shapes import AttackShape
from contest.forms.settings import RESERVED
from contest.models import Phase, Rescore, Team
from contest.models.round import Feedback
from contest.ranking import RANKINGS
from datasets.rules import FileRules
from scoring.registry import MEASURES

Shape = s.Serializer[Any]
LARGEST_KEY = 2**63 - 1


class Reason(Shape):
    reason = s.CharField(required=False, allow_blank=True, default="", max_length=300)


def known_zone(name: str) -> str:
    if name not in zoneinfo.available_timezones():
        raise s.ValidationError(f"There is no time zone {name!r}, such as Asia/Tokyo.", code="no-zone")
    return name


def free_word(slug: str) -> None:
    if slug in RESERVED:
        raise s.ValidationError("This word has a meaning in addresses.", code="reserved")


class ContestFields(Shape):
    title = s.CharField(max_length=120, required=False)
    summary = s.CharField(max_length=300, required=False)
    description = s.CharField(max_length=20_000, required=False, allow_blank=True)
    slug = s.SlugField(max_length=50, required=False)
    time_zone = s.CharField(max_length=60, required=False)
    is_public = s.BooleanField(required=False)
    max_team_size = s.IntegerField(min_value=1, max_value=1000, required=False)
    approve_teams = s.BooleanField(required=False)

    def validate_time_zone(self, name: str) -> str:
        return known_zone(name)


class RoundFields(Shape):
    name = s.CharField(max_length=80, required=False)
    slug = s.SlugField(max_length=50, required=False, validators=[free_word])
    weight = s.FloatField(min_value=0, max_value=1000, required=False)
    ranking = s.ChoiceField([rule.name for rule in RANKINGS], required=False)
    house_takes_places = s.BooleanField(
        required=False,
        help_text="If not, house entries and house attacks are shown beside the teams, without a place.",
    )
    feedback = s.ChoiceField(Feedback.choices, required=False)
    feedback_bands = s.IntegerField(min_value=2, max_value=20, required=False)
    entries_per_day = s.IntegerField(min_value=1, max_value=1000, required=False)
    entries_in_total = s.IntegerField(min_value=1, max_value=10_000, required=False)
    attacks_per_day = s.IntegerField(min_value=0, max_value=1000, required=False)
    attacks_in_total = s.IntegerField(
        min_value=1, max_value=10_000, allow_null=True, required=False, help_text="Null: as the days allow."
    )
    attacks_per_target = s.IntegerField(
        min_value=1, max_value=10_000, allow_null=True, required=False, help_text="Null: as many as in all."
    )
    all_targets = s.BooleanField(required=False, help_text="Guesses are sent for all targets at once.")
    program_seconds = s.IntegerField(min_value=1, max_value=3600, required=False)
    program_megabytes = s.IntegerField(min_value=64, max_value=65_536, required=False)
    seed = s.IntegerField(min_value=0, max_value=2**63 - 1, required=False)
    is_hidden = s.BooleanField(required=False, help_text="Until its first phase begins.")
    file_rules = s.DictField(required=False)

    def validate_file_rules(self, rules: dict[str, Any]) -> dict[str, Any]:
        defaults = {name: getattr(FileRules, name) for name in FileRules.__dataclass_fields__}
        for name, value in rules.items():
            if name not in defaults or type(value) is not type(defaults[name]):
                known = ", ".join(f"{key} ({type(it).__name__})" for key, it in defaults.items())
                raise s.ValidationError(f"Got {name}={value!r}. Expected {known}.", code="no-rule")
        return rules


class Change(Shape):
    """What may be previewed, is refused where another has changed the same meanwhile, and needs a reason."""

    version = s.IntegerField(min_value=1)
    preview = s.BooleanField(default=False, help_text="Only say what would follow.")
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
    like = s.CharField(
        max_length=120, help_text="`round/practice` of this contest, or `preset/pwscup2016/final`."
    )
    name = s.CharField(max_length=80)
    slug = s.SlugField(max_length=50, validators=[free_word])
    starts_at = s.DateTimeField(help_text="When its first phase begins; the others follow.")


class Removal(Change):
    """Of a round that nobody has played."""


class Consequences(Shape):
    consequences = ConsequenceShape(many=True)


class SettingsShape(Shape):
    version = s.IntegerField()
    settings = s.DictField()


class ChangedShape(SettingsShape):
    consequences = ConsequenceShape(many=True)


class PhaseOrder(Shape):
    act = s.ChoiceField(["open", "close", "extend", "reopen", "move", "remove"])
    starts_at = s.DateTimeField(required=False)
    ends_at = s.DateTimeField(required=False)
    move_later = s.BooleanField(default=False)
    seen_ends_at = s.DateTimeField(required=False, help_text="Refused if the phase ends otherwise by now.")
    reason = s.CharField(max_length=300)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["act"] in {"extend", "reopen", "move"} and "ends_at" not in attrs:
            raise s.ValidationError({"ends_at": "This act needs the new end."}, code="required")
        return attrs


class NewPhase(Shape):
    version = s.IntegerField(min_value=1, help_text="The version of the round's settings that you saw.")
    kind = s.ChoiceField(Phase.Kind.choices)
    starts_at = s.DateTimeField()
    ends_at = s.DateTimeField()
    reason = s.CharField(max_length=300)


class PhaseState(Shape):
    id = s.IntegerField(source="pk")
    kind = s.ChoiceField(Phase.Kind.choices)
    starts_at = s.DateTimeField()
    ends_at = s.DateTimeField()
    opened_at = s.DateTimeField(allow_null=True)
    closed_at = s.DateTimeField(allow_null=True)


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


class TeamState(Shape):
    id = s.IntegerField(source="pk")
    name = s.CharField()
    is_house = s.BooleanField()
    status = s.ChoiceField(Team.Status.choices)
    status_reason = s.CharField(allow_blank=True)
    merged_into = s.IntegerField(source="merged_into_id", allow_null=True)


class TeamsChanged(Shape):
    teams = TeamState(many=True)


class LimitOrder(Shape):
    measure = s.ChoiceField([measure.name for measure in MEASURES])
    operator = s.ChoiceField(["<=", ">="], default="<=")
    limit = s.FloatField(min_value=-1e15, max_value=1e15)


class RescoreOrder(Shape):
    limits = LimitOrder(many=True)
    reason = s.CharField(max_length=300)

    def validate_limits(self, limits: list[dict[str, Any]]) -> list[dict[str, Any]]:
        names = [limit["measure"] for limit in limits]
        if len(set(names)) != len(names):
            raise s.ValidationError("A measure can have one limit.", code="measure-twice")
        return limits


class RescoreShape(Shape):
    id = s.IntegerField(source="pk")
    state = s.ChoiceField(Rescore.State.choices)
    limits = s.ListField(child=s.DictField())
    limits_before = s.ListField(child=s.DictField())
    preview = s.ListField(child=s.DictField())
    reason = s.CharField()
    created_at = s.DateTimeField()
    decided_at = s.DateTimeField(allow_null=True)


class Decision(Shape):
    act = s.ChoiceField(["apply", "discard"])


class Workers(Shape):
    workers = s.IntegerField(min_value=1, max_value=1000, default=2)


class LoadShape(Shape):
    attack = s.CharField(source="attack.label")
    seconds = s.FloatField(allow_null=True)
    is_measured = s.BooleanField()
    waiting = s.IntegerField()
    expected = s.IntegerField()


class CapacityShape(Shape):
    workers = s.IntegerField()
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
    oldest = s.DateTimeField(allow_null=True, help_text="Since when the oldest job waits.")
    workers = s.IntegerField()
