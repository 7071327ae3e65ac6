"""What callers may send."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers as s

from anonymizers.registry import EVERY_ANONYMIZER

Shape = s.Serializer[Any]


class EntryUpload(Shape):
    """One zip, or the three files. Their contents are judged by the checker, not here."""

    archive = s.FileField(required=False, allow_empty_file=True, help_text="Zip of M.csv, T.csv, P.csv.")
    master = s.FileField(required=False, allow_empty_file=True, help_text="M′")
    transactions = s.FileField(required=False, allow_empty_file=True, help_text="T′")
    truth = s.FileField(required=False, allow_empty_file=True, help_text="P; kept secret.")
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        parts = [attrs.get(name) for name in ("master", "transactions", "truth")]
        # An empty file counts as chosen: the checker says what is wrong with it.
        chosen = [part is not None for part in parts]
        if attrs.get("archive") is not None and any(chosen):
            raise s.ValidationError(_("Send either the zip or the three files, not both."), code="both-ways")
        if attrs.get("archive") is None and not all(chosen):
            raise s.ValidationError(_("Send `archive`, or all of `master`, `transactions` and `truth`."),
                                    code="files-missing")  # fmt: skip
        return attrs


class GuessUpload(Shape):
    archive = s.FileField(
        allow_empty_file=True, help_text="Zip with one CSV a target, named by its id, or one such CSV."
    )
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)


class ProgramUpload(Shape):
    program = s.FileField(allow_empty_file=True, help_text="reidentify.py, or a zip with it.")
    dry_run = s.BooleanField(default=False, help_text="Only try it on the practice entry: free.")


class HouseEntryOrder(Shape):
    round = s.SlugField()
    method = s.ChoiceField([method.name for method in EVERY_ANONYMIZER])
    parameters = s.DictField(child=s.CharField(max_length=200), required=False, default=dict)
    seed = s.IntegerField(min_value=0, max_value=2**31 - 1, default=1)


class Steering(Shape):
    act = s.ChoiceField(["stop", "resume", "rerun", "rerun-failed"])
    reason = s.CharField(required=False, allow_blank=True, default="", max_length=300)


class Rerun(Shape):
    """One cell of the matrix, or all attacks on one entry."""

    run = s.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    entry = s.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    reason = s.CharField(required=False, allow_blank=True, default="", max_length=300)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("run" in attrs) == ("entry" in attrs):
            raise s.ValidationError(_("Send either `run` or `entry`."), code="one-of-two")
        return attrs


class TeamName(Shape):
    name = s.CharField(max_length=60)


class JoinToken(Shape):
    token = s.CharField(max_length=100)


class FeedQuery(Shape):
    after = s.IntegerField(min_value=0, max_value=2**63 - 1, default=0)
