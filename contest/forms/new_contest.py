"""A new contest from a preset, and where its data comes from."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from typing import IO, Any
from zoneinfo import ZoneInfo

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from contest.bundle.check import OpenFile
from contest.bundle.specification import KNOWLEDGE, KNOWN_SEEDS, Bundle, DataSpec, moved
from contest.declarations.contest import CONTEST
from contest.declarations.phase import FIRST_START, LAST_START
from contest.forms.setting_fields import field_of
from contest.names.policy import TITLE
from contest.names.validation import clean_name
from games.formats import FORMATS, Format, UploadFile, find_format
from games.formats.sources import DATA, WAYS

DECLARED = {setting.name: setting for setting in CONTEST}
FILES = {file.field: file.name for spec in FORMATS for file in spec.original_fields}
"""The files that a data set of some format has, by their fields."""
WAY_NAMES = (WAYS[0].name, "files", *(way.name for way in WAYS[1:]))
"""How data can be chosen. The upload comes second, after the way that needs nothing from anybody."""
STARTS = {way.name: way.file for way in WAYS if way.file is not None}
"""The files that ways to make data start from, by their fields."""
NEEDED = {
    way.name: (*([way.name] if way.file else []), *(setting.name for setting in way.settings)) for way in WAYS
}
"""The fields that must be filled in, by the way that was chosen."""


class DataForm(forms.Form):
    """Tables to play on: uploaded, or made in one of the ways that the games declare.

    The format defines which files an upload has.
    """

    way = forms.ChoiceField(label=_("Data"), widget=forms.RadioSelect, initial=WAYS[0].name)

    def __init__(self, spec: Format, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.spec = spec
        ways = self.fields["way"]
        assert isinstance(ways, forms.ChoiceField)
        ways.choices = self.ways()
        for setting in DATA:
            self.fields[setting.name] = field_of(setting, initial=setting.default, required=False)
        for file in spec.table_fields:
            self.fields[file.field] = forms.FileField(label=file.name, required=False)
        for file in spec.knowledge_fields:
            note = _("What attackers know. Where none of these files is given, they are drawn from T.csv.")
            self.fields[file.field] = forms.FileField(label=file.name, required=False, help_text=note)
        for name, source in STARTS.items():
            self.fields[name] = forms.FileField(label=_(source.label), required=False, help_text=source.help)

    def ways(self) -> list[tuple[str, Any]]:
        titles: dict[str, Any] = {way.name: _(way.title) for way in WAYS}
        titles["files"] = _("Upload %(files)s") % {"files": ", ".join(self.spec.original_files)}
        return [(name, titles[name]) for name in WAY_NAMES]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in NEEDED.get(given.get("way", ""), ()):
            if given.get(name) is None and name not in self.errors:
                self.add_error(name, _("This is needed for the chosen data."))
        if given.get("way") == "files":
            self._require_files(given)
        return given

    def _require_files(self, given: Mapping[str, Any]) -> None:
        """All files of the format and no other; what attackers know may be left out as a whole."""
        known = any(given.get(file.field) is not None for file in self.spec.knowledge_fields)
        for file in self.spec.original_fields if known else self.spec.table_fields:
            if given.get(file.field) is None and file.field not in self.errors:
                self.add_error(file.field, _("%(file)s is missing.") % {"file": file.name})
        for field in self.files:
            if field in FILES and field not in self.fields:
                names = {"file": FILES[field], "files": ", ".join(self.spec.original_files)}
                self.add_error(None, _("%(file)s is not expected: this format has %(files)s.") % names)

    def data_spec(self) -> DataSpec | None:
        """The data set that was chosen; nothing where the preset's own is kept."""
        given = self.cleaned_data
        if given["way"] == "files":
            files = self._described(self.spec.table_fields)
            knowledge = self._described(self.spec.knowledge_fields)
            return self._spec(
                "Uploaded tables", {"files": files | ({KNOWLEDGE: knowledge} if knowledge else {})}
            )
        way = next((way for way in WAYS if way.name == given["way"]), None)
        if way is None:
            return None
        source = way.source(given)
        return self._spec(way.data_name(source[way.key]), source)

    def _spec(self, name: str, source: Mapping[str, Any]) -> DataSpec:
        return DataSpec(name, source, format=self.spec.name)

    def _described(self, files: Iterable[UploadFile]) -> dict[str, Any]:
        """Those of the files that were given, as a bundle names them."""
        uploads = ((file, self.cleaned_data.get(file.field)) for file in files)
        return {
            file.field: {"name": file.name, "sha256": _digest(it)} for file, it in uploads if it is not None
        }

    def open_file(self) -> OpenFile:
        given = {file.name: self.cleaned_data.get(file.field) for file in self.spec.original_fields}
        given |= {file.name: self.cleaned_data.get(field) for field, file in STARTS.items()}

        def open_(name: str) -> IO[bytes]:
            file = given.get(name)
            if file is None:
                raise FileNotFoundError(name)
            file.seek(0)
            return _KeptOpen(file)  # type: ignore[return-value]

        return open_


class _KeptOpen:
    """An upload as a context that leaves it open for the next reader."""

    def __init__(self, file: UploadedFile) -> None:
        self.read = file.read

    def __enter__(self) -> _KeptOpen:
        return self

    def __exit__(self, *error: object) -> None:
        return None


def _digest(file: UploadedFile) -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    return digest.hexdigest()


def start_field(help_text: Any = "") -> forms.CharField:
    """When the first phase begins, in a zone that is known once the whole form is.

    It is empty at first, because a time that stands there already would become another one in another zone.
    """
    widget = forms.TextInput(attrs={"type": "datetime-local", "step": 1})
    label = _("The first phase begins")
    return forms.CharField(label=label, widget=widget, help_text=help_text, required=False)


def clean_start(form: forms.Form, given: dict[str, Any], zone: str) -> None:
    """Read the start of the first phase in its zone; where none is given, it begins at once."""
    if not given.get("starts_at"):
        given["starts_at"] = timezone.now().replace(microsecond=0)
        return
    field = forms.DateTimeField(input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])
    try:
        with timezone.override(ZoneInfo(zone)):
            given["starts_at"] = field.clean(given["starts_at"])
    except forms.ValidationError as error:
        form.add_error("starts_at", error)
        return
    if not FIRST_START <= given["starts_at"].year <= LAST_START:
        span = {"first": FIRST_START, "last": LAST_START}
        form.add_error("starts_at", _("Expected a year from %(first)s to %(last)s.") % span)


def _chosen_data(data: DataSpec) -> dict[str, Any]:
    """What a preset decides about its own data, by the names of the settings."""
    chosen = next((data.source[way.key] for way in WAYS if way.key in data.source), {})
    return {setting.name: chosen[setting.place[0]] for setting in DATA if setting.place[0] in chosen}


class NewContestForm(DataForm):
    """The first decisions about a contest that a preset describes; all else is changed in its settings."""

    title = field_of(DECLARED["title"])
    slug = field_of(
        DECLARED["slug"], help_text=_("Letters, digits, - and _: the last part of the contest’s address.")
    )
    summary = field_of(DECLARED["summary"])
    time_zone = field_of(DECLARED["time_zone"])
    starts_at = start_field(
        _("In the zone above; at once if left empty. The other phases follow as the preset spaces them.")
    )
    is_public = forms.BooleanField(label=_("Everybody sees it at once"), required=False)
    field_order = ("title", "slug", "summary", "time_zone", "starts_at", "is_public", "way")

    def __init__(self, bundle: Bundle, *args: Any, **kwargs: Any) -> None:
        self.bundle = bundle
        super().__init__(find_format(bundle.data[0].format), *args, **kwargs)
        self.initial = {
            **_chosen_data(bundle.data[0]),
            "title": bundle.title,
            "slug": bundle.slug,
            "summary": bundle.summary,
            "time_zone": bundle.time_zone,
            "way": "preset",
        }

    def clean_title(self) -> str:
        return clean_name(self.cleaned_data["title"], TITLE)

    def ways(self) -> list[tuple[str, Any]]:
        names = ", ".join(data.name for data in self.bundle.data)
        return [("preset", _("As in the preset: %(names)s") % {"names": names}), *super().ways()]

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        if "time_zone" in given:
            clean_start(self, given, given["time_zone"])
        return given

    def described(self) -> Bundle:
        """The preset with what was decided here."""
        given = self.cleaned_data
        bundle = dataclasses.replace(
            moved(self.bundle, given["starts_at"]),
            title=given["title"],
            slug=given["slug"],
            summary=given["summary"],
            time_zone=given["time_zone"],
            settings={**self.bundle.settings, "is_public": given["is_public"]},
        )
        data = self.data_spec()
        if data is None:
            return bundle
        rounds = tuple(dataclasses.replace(round_, data=data.name) for round_ in bundle.rounds)
        return dataclasses.replace(bundle, data=(data,), rounds=rounds)


class ArchiveForm(forms.Form):
    archive = forms.FileField(
        label=_("Archive"), help_text=_("The zip that “Archive” writes, of this site or of another one.")
    )
    slug = field_of(DECLARED["slug"], label=_("Another address than the archive’s"), required=False)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        # The form of a bundle on the same page has a field of this name, too.
        self.auto_id = "archive_%s"


class BundleForm(forms.Form):
    bundle = forms.FileField(
        label=_("Bundle"), help_text=_("contest.yaml, or a zip with it and its data files.")
    )
    slug = field_of(DECLARED["slug"], label=_("Another address than the bundle’s"), required=False)
    known_seeds = forms.BooleanField(label=_(KNOWN_SEEDS), required=False)
