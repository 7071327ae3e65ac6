from __future__ import annotations

from typing import IO, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.language.translation import say
from games.formats import Format
from games.formats.texts import FORMAT_TEXTS


def keep_field() -> forms.BooleanField:
    """Whether the entry that counts now is to go on counting; the page names it beside the box."""
    return forms.BooleanField(required=False)


class UploadForm(forms.Form):
    """One zip, or the files of the format. Their contents are judged by the checker, not here."""

    archive = forms.FileField(
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    keep = keep_field()
    note = forms.CharField(label=_("Note to yourself"), required=False, max_length=200)

    def __init__(self, spec: Format, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.spec = spec
        self.text = FORMAT_TEXTS[spec.name]
        self.fields["archive"].label = say(self.text.archive)
        for file in spec.upload_files:
            accepted = {"accept": ".csv,.txt,text/csv,text/plain", "data-file": file.name}
            self.fields[file.field] = forms.FileField(
                label=say(self.text.files[file.name].label),
                required=False,
                allow_empty_file=True,
                widget=forms.FileInput(attrs=accepted),
            )

    @property
    def file_fields(self) -> list[forms.BoundField]:
        return [self[file.field] for file in self.spec.upload_files]

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        parts = [data.get(file.field) for file in self.spec.upload_files]
        if data.get("archive") and any(parts):
            raise forms.ValidationError(say(self.text.both), code="both-ways")
        if not data.get("archive") and not all(parts):
            raise forms.ValidationError(say(self.text.missing), code="files-missing")
        return data

    def parts(self) -> dict[str, IO[bytes]]:
        """The files that came one by one, by the names of the format."""
        return {file.name: self.cleaned_data[file.field] for file in self.spec.upload_files}
