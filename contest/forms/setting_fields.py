"""Form fields made from declared settings. What they refuse is said as in the API and for bundles."""

from __future__ import annotations

import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from contest.forms.zones import ZoneSelect, zone_choices
from contest.language.refusals import say_bad_value
from contest.language.translation import say
from datasets.setting import LARGEST, BadValue, Setting

LONG = 1000
"""A longer text gets a field of several lines."""


class Declared(forms.Field):
    """What all fields of declared settings share: the declaration decides what is refused."""

    setting: Setting

    def clean(self, value: Any) -> Any:
        if value in self.empty_values:
            return super().clean(value)
        if isinstance(value, str) and self.setting.kind in ("text", "lines", "slug"):
            value = value.strip()
        try:
            return self.setting.checked(self.typed(value))
        except BadValue as bad:
            raise forms.ValidationError(say_bad_value(bad), code=bad.code) from None

    def typed(self, value: Any) -> Any:
        """What the browser sent, as a value."""
        return self.setting.parsed(value)


class FlagInput(forms.CheckboxInput):
    """A box that is sent unticked, too, so that a value which was not sent can be told from "no"."""

    def render(self, name: str, *args: Any, **kwargs: Any) -> SafeString:
        box = super().render(name, *args, **kwargs)
        return format_html('<input type="hidden" name="{}" value="false">{}', name, box)


class DeclaredText(Declared, forms.CharField):
    pass


class DeclaredChoice(Declared, forms.ChoiceField):
    pass


class DeclaredNumber(Declared, forms.FloatField):
    """A number; one that is shown in larger units is typed in them."""

    def typed(self, value: Any) -> Any:
        number = super().typed(value)
        factor = self.setting.shown_in
        return number * factor if factor > 1 and isinstance(number, int | float) else number

    def prepare_value(self, value: Any) -> Any:
        if self.setting.shown_in > 1 and isinstance(value, int):
            value = value / self.setting.shown_in
        return int(value) if isinstance(value, float) and value.is_integer() else value


class MomentField(Declared, forms.DateTimeField):
    """A time to the minute or second in a zone that is not the server's."""

    def __init__(self, setting: Setting, zone: ZoneInfo, **options: Any) -> None:
        self.setting = setting
        self.zone = zone
        widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}, format="%Y-%m-%dT%H:%M:%S")
        label = options.pop("label", _(setting.label))
        super().__init__(widget=widget, help_text=zone.key, label=label, **options)

    def typed(self, value: Any) -> Any:
        return self.to_python(value)

    def to_python(self, value: Any) -> datetime.datetime | None:
        try:
            with timezone.override(self.zone):
                return super().to_python(value)
        except OverflowError:
            raise BadValue(self.setting, value) from None
        except forms.ValidationError as error:
            # A local time that does not exist, or exists twice, is a different problem from no time at all.
            if error.code == "invalid":
                raise BadValue(self.setting, value) from None
            raise

    def prepare_value(self, value: Any) -> Any:
        with timezone.override(self.zone):
            return super().prepare_value(value)


def field_in_zone(setting: Setting, zone: ZoneInfo) -> forms.Field:
    """The same as `field_of`; times are typed in the zone of their contest."""
    if setting.kind != "moment":
        return field_of(setting)
    field = MomentField(setting, zone, required=not setting.is_optional)
    field.help_text = f"{_(setting.help)} ({zone.key})" if setting.help else zone.key
    return field


def field_of(setting: Setting, **options: Any) -> forms.Field:
    """The form field of a declared setting; ``options`` are Django's and override what is declared."""
    may_be_empty = setting.kind == "flag" or setting.is_optional or setting.may_be_blank
    words = {"label": _(setting.label), "help_text": _(setting.help) if setting.help else ""}
    common: dict[str, Any] = {**words, "required": not may_be_empty, **options}
    if setting.kind == "flag":
        return forms.BooleanField(widget=FlagInput, **common)
    field = _field(setting, common)
    field.setting = setting
    return field


def _field(setting: Setting, common: dict[str, Any]) -> Declared:
    if setting.kind in ("integer", "number"):
        return DeclaredNumber(widget=forms.NumberInput(attrs=_attributes(setting)), **common)
    if setting.kind == "choice":
        return DeclaredChoice(choices=lambda: choices_of(setting), **common)
    if setting.kind == "zone":
        return DeclaredChoice(choices=zone_choices, widget=ZoneSelect, **common)
    if setting.kind in ("text", "lines"):
        widget = forms.Textarea if setting.length > LONG else forms.TextInput
        return DeclaredText(max_length=setting.length, widget=widget, **common)
    return DeclaredText(max_length=50, **common)


def choices_of(setting: Setting) -> list[tuple[str, Any]]:
    """The choices with their labels; those of a registry are known by their names, too."""
    if setting.registry:
        return [(value, f"{value}: {say(label)}") for value, label in setting.choices]
    return [(value, _(label)) for value, label in setting.choices]


def _attributes(setting: Setting) -> dict[str, Any]:
    """What the browser knows of a number before it is sent."""
    factor = setting.shown_in
    step = "any" if setting.kind == "number" or factor > 1 else 1
    if setting.most == LARGEST:
        return {"step": step}
    least, most = (bound / factor if factor > 1 else bound for bound in setting.bounds)
    return {"step": step, "min": least, "max": most}
