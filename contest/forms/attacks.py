from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.language.translation import say
from games.formats.texts import FORMAT_TEXTS


class GuessForm(forms.Form):
    archive = forms.FileField(
        label=_("Guesses: one zip with one file per target, or one CSV"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".zip,.csv,application/zip,text/csv"}),
    )
    note = forms.CharField(label=_("Note to yourself"), required=False, max_length=200)

    def __init__(self, format_name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["archive"].help_text = say(FORMAT_TEXTS[format_name].guess)


class ProgramForm(forms.Form):
    program = forms.FileField(
        label=_("Program: reidentify.py, or a zip with it"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".py,.zip,application/zip,text/x-python"}),
    )
    dry_run = forms.BooleanField(
        label=_("Only try it on the practice entry (free, counts for nothing)"), required=False
    )

    def __init__(self, *args: Any, can_practise: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["dry_run"].initial = can_practise
