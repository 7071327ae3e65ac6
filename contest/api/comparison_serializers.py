"""Two entries of one team, as the API shows them side by side."""

from __future__ import annotations

from rest_framework import serializers as s

from contest.api.serializers import Shape


class ComparedNumbers(Shape):
    a = s.IntegerField(min_value=1, help_text="The number of an entry of your team.")
    b = s.IntegerField(min_value=1, help_text="The number of an entry of your team.")


class ComparedNumberShape(Shape):
    name = s.CharField()
    a = s.FloatField(allow_null=True)
    b = s.FloatField(allow_null=True)


class ComparedFileShape(Shape):
    name = s.CharField()
    changed_rows = s.IntegerField()
    changed_cells = s.IntegerField()
    is_cut = s.BooleanField(help_text="The files go on after the rows that were compared.")


class ComparisonShape(Shape):
    """Two entries of one team: what was measured, what attacks found, what differs in their files."""

    a = s.IntegerField(source="a.number")
    b = s.IntegerField(source="b.number")
    numbers = ComparedNumberShape(many=True)
    attacks_shown = s.BooleanField(source="show_attacks")
    attacks = ComparedNumberShape(many=True)
    files = ComparedFileShape(many=True)
