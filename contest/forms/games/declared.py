"""Fields for the parameters of a game, for its rule, and for the files that organisers bring."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, BinaryIO, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.forms.setting_fields import field_of
from contest.language.game_words import help_of, label_of, worded
from contest.language.translation import say
from datasets.archive import ArchiveError, Limits
from datasets.archive_tree import read_tree
from datasets.setting import Setting
from games.contract.declaration import Declaration, File
from games.contract.sentences import sentences

PARAMETER, FILE = "param-", "file-"
ZIP = "files-zip"
MIB = 1 << 20
MOST = Limits(file_bytes=512 * MIB, total_bytes=1024 * MIB, ratio=200, members=2000)
"""Of a zip with what organisers bring."""


def parameter_fields(settings: Sequence[Setting], values: Mapping[str, Any]) -> dict[str, forms.Field]:
    """A field for each parameter, with its bounds and its value."""
    return {
        PARAMETER + setting.name: field_of(
            setting,
            label=label_of(setting),
            help_text=_help(setting),
            initial=values.get(setting.name, setting.default),
        )
        for setting in settings
    }


def _help(setting: Setting) -> str:
    """What the game says of a parameter, and what it may be."""
    return " ".join(filter(None, (help_of(setting), f"{setting.name}: {say(setting.expected)}")))


def parameters_in(settings: Sequence[Setting], data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        setting.name: data[PARAMETER + setting.name]
        for setting in settings
        if PARAMETER + setting.name in data
    }


def rule_field(declared: Declaration, chosen: str = "") -> forms.ChoiceField:
    choices = [(rule.name, f"{rule.name}: {worded(rule.formula)}") for rule in declared.rules]
    return forms.ChoiceField(label=_("Rule"), choices=choices, initial=chosen, required=bool(choices))


def source_fields(declared: Declaration) -> dict[str, forms.Field]:
    """A field for each file that organisers bring; files of which there are several come in one zip."""
    fields: dict[str, forms.Field] = {}
    several = []
    for file in declared.files_of("round", "organiser"):
        if "{" in file.name:
            several.append(file)
            continue
        fields[FILE + file.name] = forms.FileField(
            label=file.name, required=file.required, help_text=_said(file)
        )
    if several:
        said = " ".join(_said(file) for file in several)
        fields[ZIP] = forms.FileField(
            label=_("A zip with %(files)s") % {"files": ", ".join(file.name for file in several)},
            required=any(file.required for file in several),
            help_text=said,
        )
    return fields


def _said(file: File) -> str:
    """The rules of a file, and what it is for."""
    return " ".join(filter(None, (worded(file.meaning), *(say(sentence) for sentence in sentences(file)))))


def sources_in(declared: Declaration, data: Mapping[str, Any]) -> dict[str, IO[bytes]]:
    """The files that were given, by their names in the game; raises `ValidationError` for a bad zip."""
    found: dict[str, IO[bytes]] = {}
    for file in declared.files_of("round", "organiser"):
        upload = data.get(FILE + file.name)
        if upload is not None:
            found[file.name] = upload
    if data.get(ZIP) is not None:
        found |= dict(_unzipped(data[ZIP]))
    return found


def _unzipped(upload: Any) -> Iterator[tuple[str, IO[bytes]]]:
    try:
        files = read_tree(cast(BinaryIO, upload.file), MOST, upload.name)
    except ArchiveError as error:
        raise forms.ValidationError(say(error.verdict.problems[0].message)) from None
    for name, content in files.items():
        yield name, io.BytesIO(content)
