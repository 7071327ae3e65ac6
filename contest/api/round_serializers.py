"""A round as the API shows it: its rules, limits, phases, and what attackers learn."""

from __future__ import annotations

from rest_framework import serializers as s

from contest.api.dataset_serializers import DatasetShape
from contest.api.serializers import AttemptsShape, PhaseShape, Shape
from contest.api.setting_fields import AnyField, field_of
from contest.declarations.round import PLAIN


class LimitShape(Shape):
    measure = s.CharField()
    operator = s.ChoiceField(["<=", ">="])
    limit = s.FloatField()


class RankingShape(Shape):
    name = s.CharField()
    title = s.CharField()
    formula = s.CharField()
    tie_breaks = s.ListField(child=s.CharField())


class BudgetShape(Shape):
    """The most that the answers to its attacks reveal to one team about one P."""

    bits = s.FloatField()
    most = s.FloatField(help_text="All bits of P: log2(n!).")
    attempts = s.IntegerField(help_text="Of one team at one target.")
    bits_per_answer = s.FloatField()


class RoundShape(Shape):
    slug = s.SlugField(source="round.slug")
    name = s.CharField(source="round.name")
    budget = BudgetShape(
        allow_null=True,
        help_text="What attackers learn from answers, at most, in bits; null where a game judges them.",
    )
    board_version = s.IntegerField(source="round.board_version")
    board_frozen_since = s.DateTimeField(
        source="round.still_since",
        allow_null=True,
        help_text="Everybody but organisers sees the board of this moment; null where it is the newest.",
    )
    dataset = DatasetShape()
    phases = PhaseShape(many=True)
    limits = LimitShape(source="round.limits", many=True)
    file_rules = s.DictField()
    ranking = RankingShape()
    house_attacks = s.ListField(child=s.CharField())
    seeds_known = s.BooleanField(
        source="round.seeds_known",
        help_text="Seeds were named, not drawn: who has them knows the truths of the house entries.",
    )
    attempts = AttemptsShape(allow_null=True, help_text="Of your team; null where you have none.")

    def get_fields(self) -> dict[str, AnyField]:
        shown = [it for it in PLAIN if it.visible_to == "everybody" and it.name != "ranking"]
        return {**super().get_fields(), **{it.name: field_of(it, source=f"round.{it.name}") for it in shown}}
