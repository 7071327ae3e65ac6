from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class UploadForm(forms.Form):
    """One zip, or the three files. Their contents are judged by the checker, not here."""

    archive = forms.FileField(
        label=_("One zip with M.csv, T.csv and P.csv"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )
    master = forms.FileField(
        label=_("M′: the master table"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )
    transactions = forms.FileField(
        label=_("T′: the transactions"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )
    truth = forms.FileField(
        label=_("P: who is who (kept secret)"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.txt,text/csv,text/plain"}),
    )
    note = forms.CharField(label=_("Note to yourself"), required=False, max_length=200)

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        parts = [data.get(name) for name in ("master", "transactions", "truth")]
        if data.get("archive") and any(parts):
            raise forms.ValidationError(
                _("Choose either the zip or the three files, not both."), code="both-ways"
            )
        if not data.get("archive") and not all(parts):
            raise forms.ValidationError(
                _("Choose one zip, or all three files: M′, T′ and P."), code="files-missing"
            )
        return data
