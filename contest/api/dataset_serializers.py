"""A data set as the API answers it."""

from __future__ import annotations

import datetime
from typing import Any

from rest_framework import serializers as s

from contest.api.serializers import Shape


class EndOfDays(s.DateField):
    """The first or the last day of a data set."""

    def __init__(self, end: int) -> None:
        super().__init__(allow_null=True)
        self.end = end

    def get_attribute(self, instance: Any) -> datetime.date | None:
        days = instance.fact.get("days")
        return datetime.date.fromisoformat(days[self.end]) if days else None


class FactShape(Shape):
    label = s.CharField(help_text="What is counted, such as `days`.")  # type: ignore[assignment]
    value = s.JSONField(help_text="A number, a text, or both ends of a span.")

    def to_representation(self, instance: tuple[str, Any]) -> dict[str, Any]:
        """A fact is stored as a pair."""
        label, value = instance
        return {"label": label, "value": value}


class DatasetShape(Shape):
    name = s.CharField()
    description = s.CharField()
    format = s.CharField(help_text="Which files there are; empty where a game makes them.")
    files = s.DictField(child=s.CharField(), help_text="The public files and their SHA-256.")
    n_people = s.IntegerField(help_text="How many people an attacker chooses from.")
    facts = FactShape(many=True)
    first_day = EndOfDays(0)
    last_day = EndOfDays(1)
