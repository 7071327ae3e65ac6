"""Fields of the API made from declared settings. What they refuse is said as on pages and for bundles."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from rest_framework import serializers as s

from contest.language.refusals import say_bad_value
from datasets.setting import LARGEST, BadValue, Setting

AnyField = s.Field[Any, Any, Any, Any]


class Declared(AnyField):
    """What all fields of declared settings share: the declaration decides what is refused.

    ``reads_text`` is for bodies that hold nothing but text, as forms with files do.
    """

    def __init__(self, *, setting: Setting, reads_text: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.setting = setting
        self.reads_text = reads_text

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and self.setting.kind in ("text", "lines", "slug"):
            data = data.strip()
        try:
            return self.setting.checked(self.typed(data))
        except BadValue as bad:
            raise s.ValidationError(say_bad_value(bad), code=bad.code) from None

    def typed(self, data: Any) -> Any:
        return self.setting.parsed(data) if self.reads_text and isinstance(data, str) else data


class DeclaredInteger(Declared, s.IntegerField):
    pass


class DeclaredNumber(Declared, s.FloatField):
    pass


class DeclaredFlag(Declared, s.BooleanField):
    pass


class DeclaredChoice(Declared, s.ChoiceField):
    pass


class DeclaredText(Declared, s.CharField):
    pass


class DeclaredSlug(Declared, s.SlugField):
    pass


class DeclaredMoment(Declared, s.DateTimeField):
    def typed(self, data: Any) -> Any:
        """A time without a zone is in the server's."""
        try:
            moment: datetime.datetime = s.DateTimeField.to_internal_value(self, data)
        except (s.ValidationError, OverflowError):
            raise BadValue(self.setting, data) from None
        return moment


KINDS: dict[str, type[Declared]] = {
    "integer": DeclaredInteger, "number": DeclaredNumber, "flag": DeclaredFlag, "choice": DeclaredChoice,
    "text": DeclaredText, "lines": DeclaredText, "slug": DeclaredSlug, "zone": DeclaredText,
    "moment": DeclaredMoment,
}  # fmt: skip


def field_of(setting: Setting, **options: Any) -> AnyField:
    """The field of a declared setting; ``options`` are those of the framework."""
    described: dict[str, Any] = {"help_text": setting.help} if setting.help else {}
    if setting.kind in ("integer", "number") and setting.most != LARGEST:
        described |= {"min_value": setting.least, "max_value": setting.most}
    if setting.kind == "choice":
        described["choices"] = list(setting.choices)
    if setting.kind in ("text", "lines", "slug"):
        described["max_length"] = 50 if setting.kind == "slug" else setting.length
    if setting.may_be_blank:
        described["allow_blank"] = True
    if setting.is_optional:
        described["allow_null"] = True
    return KINDS[setting.kind](setting=setting, **{**described, **options})


def fields_of(settings: Iterable[Setting], **options: Any) -> dict[str, AnyField]:
    return {setting.name: field_of(setting, **options) for setting in settings}
