from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class GuessForm(forms.Form):
    archive = forms.FileField(
        label=_("Guesses: one zip with a file a target, or one CSV"),
        allow_empty_file=True,
        help_text=_("Name the files by the target's number: 12.csv. One line a row of M′; “-” is no guess."),
        widget=forms.FileInput(attrs={"accept": ".zip,.csv,application/zip,text/csv"}),
    )
    note = forms.CharField(label=_("Note to yourself"), required=False, max_length=200)


class ProgramForm(forms.Form):
    program = forms.FileField(
        label=_("Program: reidentify.py, or a zip with it"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".py,.zip,application/zip,text/x-python"}),
    )
    dry_run = forms.BooleanField(
        label=_("Only try it on the practice entry (free, counts for nothing)"), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["dry_run"].initial = True
