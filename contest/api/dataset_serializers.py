"""A data set as the API answers it. Its numbers keep the names that they had before facts had codes."""

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


class DatasetShape(Shape):
    name = s.CharField()
    description = s.CharField()
    format = s.CharField(help_text="Which files there are; empty where a game makes them.")
    files = s.DictField(child=s.CharField(), help_text="The public files and their SHA-256.")
    n_customers = s.IntegerField(source="n_people")
    n_rows = s.IntegerField(source="fact.purchases", default=None, allow_null=True)
    n_items = s.IntegerField(source="fact.items", default=None, allow_null=True)
    n_receipts = s.IntegerField(source="fact.receipts", default=0)
    first_day = EndOfDays(0)
    last_day = EndOfDays(1)
