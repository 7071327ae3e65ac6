"""What callers may send."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers as s

from contest.api.setting_fields import AnyField
from contest.names.tracks import LONGEST_NAME
from games.formats import FORMATS, Format
from games.formats.methods import EVERY_ANONYMIZER
from games.formats.uploads import ARCHIVE, MEANINGS

Shape = s.Serializer[Any]


KEEP = "Pin the entry that counts now, so that this one does not replace it."


class EntryUpload(Shape):
    """One zip, or the files of the round's format. Their contents are judged by the checker, not here."""

    archive = s.FileField(required=False, allow_empty_file=True, help_text=ARCHIVE)
    keep = s.BooleanField(default=False, help_text=KEEP)
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)

    def get_fields(self) -> dict[str, AnyField]:
        own = super().get_fields()
        files = {
            field: s.FileField(required=False, allow_empty_file=True, help_text=meaning)
            for field, meaning in MEANINGS.items()
        }
        return {"archive": own.pop("archive"), **files, **own}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        # An empty file counts as chosen: the checker says what is wrong with it.
        spec: Format = self.context["format"]
        fields = [file.field for file in spec.upload_files]
        chosen = {name for name in FILE_FIELDS if attrs.get(name) is not None}
        if attrs.get("archive") is not None and chosen:
            raise s.ValidationError(_("Send either the zip or the files, not both."), code="both-ways")
        if attrs.get("archive") is None and chosen != set(fields):
            names = ", ".join(f"`{name}`" for name in fields)
            raise s.ValidationError(
                _("Send `archive`, or all of these and no other file: %(names)s.") % {"names": names},
                code="files-missing",
            )
        return attrs


FILE_FIELDS = sorted({file.field for spec in FORMATS for file in spec.upload_files})


class GuessUpload(Shape):
    archive = s.FileField(
        allow_empty_file=True, help_text="Zip with one CSV per target, named by its id, or one such CSV."
    )
    note = s.CharField(required=False, allow_blank=True, default="", max_length=200)


class ProgramUpload(Shape):
    program = s.FileField(allow_empty_file=True, help_text="reidentify.py, or a zip with it.")
    dry_run = s.BooleanField(default=False, help_text="Only try it on the practice entry: free.")


class HouseEntryOrder(Shape):
    round = s.SlugField()
    method = s.ChoiceField([method.name for method in EVERY_ANONYMIZER])
    parameters = s.DictField(child=s.CharField(max_length=200), required=False, default=dict)


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


class TrackName(Shape):
    track = s.CharField(max_length=LONGEST_NAME, help_text="The name of a track of the contest.")


class NewTeam(TeamName):
    track = s.CharField(
        max_length=LONGEST_NAME,
        required=False,
        allow_blank=True,
        default="",
        help_text="The name of a track; needed where the contest has tracks.",
    )


class JoinToken(Shape):
    token = s.CharField(max_length=100)


class Consent(Shape):
    consent = s.BooleanField()


class EntryNote(Shape):
    note = s.CharField(allow_blank=True, max_length=200)


class FeedQuery(Shape):
    after = s.IntegerField(min_value=0, max_value=2**63 - 1, default=0)
