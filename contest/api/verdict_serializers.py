"""Shapes of what is wrong with files, and why."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

Shape = s.Serializer[Any]


class ProblemShape(Shape):
    file = s.CharField()
    line = s.IntegerField(allow_null=True)
    column = s.CharField(allow_null=True)
    code = s.CharField()
    got = s.CharField(allow_null=True)
    expected = s.CharField()
    values = s.DictField(default=dict, help_text="The values in what was expected, such as a number of rows.")
    of_kind = s.IntegerField(
        default=None,
        allow_null=True,
        help_text="How many problems of this file, column and code there are, listed or not.",
    )


class RemarkShape(Shape):
    """Why files were refused, or how odd ones were read."""

    file = s.CharField()
    column = s.CharField(allow_null=True)
    code = s.CharField()
    certainty = s.ChoiceField(["certain", "likely"])
    accepted = s.BooleanField(help_text="The file was read all the same, in the way that the cause says.")
    cause = s.CharField()
    advice = s.CharField(allow_blank=True)


class ProblemKindShape(Shape):
    """Problems of one file, column and code."""

    file = s.CharField()
    column = s.CharField(allow_null=True)
    code = s.CharField()
    expected = s.CharField(allow_null=True, help_text="Null where it differs from line to line.")
    count = s.IntegerField()
    first = ProblemShape(many=True)


class VerdictShape(Shape):
    """What the checker reports for files that were not handed in."""

    valid = s.BooleanField()
    remarks = RemarkShape(many=True)
    problem_total = s.IntegerField()
    kinds = ProblemKindShape(many=True, source="problem_kinds", help_text="The first kinds of problems.")
    problems = ProblemShape(many=True)
