"""A data set as the API answers it. Its numbers keep the names that they had before facts had codes."""

from __future__ import annotations

import datetime
from typing import Any

from rest_framework import serializers as s

from contest.api.serializers import Shape


class EndOfDays(s.DateField):
    """The first or the last day of a data set."""

    def __init__(self, end: int) -> None:
        super().__init__()
        self.end = end

    def get_attribute(self, instance: Any) -> datetime.date:
        return datetime.date.fromisoformat(instance.fact["days"][self.end])


class DatasetShape(Shape):
    name = s.CharField()
    description = s.CharField()
    format = s.CharField(help_text="2016, 2017 or 2018: which files there are, and what they hold.")
    files = s.DictField(child=s.CharField(), help_text="The public files and their SHA-256.")
    n_customers = s.IntegerField(source="n_people")
    n_rows = s.IntegerField(source="fact.purchases")
    n_items = s.IntegerField(source="fact.items")
    n_receipts = s.IntegerField(source="fact.receipts", default=0)
    first_day = EndOfDays(0)
    last_day = EndOfDays(1)
