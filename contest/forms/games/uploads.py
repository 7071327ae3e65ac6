"""Uploads to rounds that are played by a game: the form is what the game declares."""

from __future__ import annotations

from typing import IO, Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from contest.forms.entries import keep_field
from contest.play.uploads import answer_files, entry_files, most_bytes
from games.contract.declaration import Declaration, File

MOST_FIELDS = 12
"""An upload of more files comes as a zip alone."""
ZIP = {"accept": ".zip,application/zip"}


class FilesForm(forms.Form):
    """One zip, or the declared files one by one. Their contents are judged by the checker, not here."""

    archive = forms.FileField(
        required=False, allow_empty_file=True, widget=forms.FileInput(attrs=dict(ZIP)), label=""
    )
    note = forms.CharField(label=gettext_lazy("Note to yourself"), required=False, max_length=200)

    def __init__(self, files: dict[str, File], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.files_declared = files
        self.most_bytes = most_bytes(files)
        self.fields["archive"].label = _("A zip with %(files)s") % {"files": _listed(files)}
        self.by_field: dict[str, str] = {}
        if len(files) <= MOST_FIELDS:
            for place, (name, file) in enumerate(files.items()):
                self._add(f"file{place}", name, file)

    def _add(self, field: str, name: str, file: File) -> None:
        attributes = {"data-file": name}
        if file.columns:
            attributes["accept"] = ".csv,.txt,text/csv,text/plain"
        if not file.required:
            attributes["data-optional"] = "1"
        label = name if file.required else _("%(name)s (may be left out)") % {"name": name}
        self.by_field[field] = name
        self.fields[field] = forms.FileField(
            label=label, required=False, allow_empty_file=True, widget=forms.FileInput(attrs=attributes)
        )

    @property
    def file_fields(self) -> list[forms.BoundField]:
        return [self[field] for field in self.by_field]

    def clean(self) -> dict[str, Any] | None:
        data = super().clean() or {}
        given = {name for field, name in self.by_field.items() if data.get(field) is not None}
        if data.get("archive") and given:
            text = _("Choose one zip, or the files one by one, not both.")
            raise forms.ValidationError(text, code="both-ways")
        if not data.get("archive") and not self._is_enough(given):
            raise forms.ValidationError(self.missing, code="files-missing")
        return data

    def _is_enough(self, given: set[str]) -> bool:
        required = {name for name, file in self.files_declared.items() if file.required}
        return bool(given) and required <= given

    @property
    def missing(self) -> str:
        return _("Choose one zip, or every file that is needed: %(files)s.") % {
            "files": _listed(
                {name: file for name, file in self.files_declared.items() if file.required}
                or self.files_declared
            )
        }

    def parts(self) -> dict[str, IO[bytes]]:
        """The files that came one by one, by their names in the game."""
        given = {name: self.cleaned_data.get(field) for field, name in self.by_field.items()}
        return {name: file for name, file in given.items() if isinstance(file, UploadedFile)}


class OfAlternative(forms.Form):
    """What is made from one of a seat's alternatives, where the game has several."""

    def add_variants(self, variants: int, choice: int | None) -> None:
        if variants > 1:
            numbers = range(variants) if choice is None else (choice,)
            self.fields["variant"] = forms.TypedChoiceField(
                label=_("Made from alternative"),
                choices=[(str(number), str(number + 1)) for number in numbers],
                coerce=int,
            )

    @property
    def chosen_variant(self) -> int:
        return int(self.cleaned_data.get("variant") or 0)


class GameUploadForm(FilesForm, OfAlternative):
    """An entry."""

    keep = keep_field()

    def __init__(
        self, declared: Declaration, slot: str, *args: Any, choice: int | None = None, **kwargs: Any
    ):
        super().__init__(entry_files(declared, slot), *args, **kwargs)
        self.add_variants(declared.seats.variants, choice)


class HiderForm(OfAlternative):
    """A program that makes an entry."""

    prefix = "hider"
    program = forms.FileField(
        label=gettext_lazy("Program: anonymize.py, or a zip with it"),
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".py,.zip,application/zip,text/x-python"}),
    )
    note = forms.CharField(label=gettext_lazy("Note to yourself"), required=False, max_length=200)

    def __init__(self, variants: int, *args: Any, choice: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.add_variants(variants, choice)


class AnswerForm(FilesForm):
    """An answer to all targets and challenges at once; what covers nothing is refused by the checker."""

    def __init__(self, declared: Declaration, keys: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(answer_files(declared, keys), *args, **kwargs)

    def _is_enough(self, given: set[str]) -> bool:
        return bool(given)

    @property
    def missing(self) -> str:
        return _("Choose one zip, or at least one file of an answer.")


def _listed(files: dict[str, File]) -> str:
    """Names of files, the first few of many.

    >>> _listed(dict.fromkeys(["a", "b", "c", "d", "e"]))
    'a, b, c, …'
    """
    names = list(files)
    return ", ".join([*names[:3], "…"] if len(names) > 4 else names)
