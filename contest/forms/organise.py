from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from anonymizers.anonymizer import Anonymizer, Parameter
from anonymizers.registry import ANONYMIZERS
from contest.models import Contest, Round
from contest.words import say


class AnnouncementForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=120)
    body = forms.CharField(
        label=_("Text"), required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 4})
    )


class HouseMethodForm(forms.Form):
    """The first step of a house entry: which method."""

    method = forms.ChoiceField(label=_("Method"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        methods = self.fields["method"]
        assert isinstance(methods, forms.ChoiceField)
        methods.choices = [(method.name, f"{method.name}: {say(method.title)}") for method in ANONYMIZERS]


class HouseEntryForm(forms.Form):
    """The second step: a field for every parameter that the method declares."""

    round = forms.ModelChoiceField(Round.objects.none(), label=_("Round"), empty_label=None)
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**31 - 1, initial=1)

    def __init__(self, contest: Contest, method: Anonymizer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.method = method
        rounds = self.fields["round"]
        assert isinstance(rounds, forms.ModelChoiceField)
        rounds.queryset = Round.objects.filter(contest=contest)
        for parameter in method.parameters:
            self.fields[PREFIX + parameter.name] = field_of(parameter)

    def parameters(self) -> dict[str, Any]:
        """What was chosen, without what was left at its default."""
        chosen = {item.name: self.cleaned_data[PREFIX + item.name] for item in self.method.parameters}
        defaults = {item.name: item.default for item in self.method.parameters}
        return {name: value for name, value in chosen.items() if value not in (None, "", defaults[name])}


PREFIX = "set_"


def field_of(parameter: Parameter) -> forms.Field:
    """The form field of a declared parameter."""
    common: dict[str, Any] = {
        "label": parameter.name,
        "help_text": say(parameter.meaning),
        "initial": parameter.default,
        "required": False,
    }
    if parameter.kind == "choice":
        return forms.ChoiceField(choices=[(choice, choice) for choice in parameter.choices], **common)
    if parameter.kind == "bool":
        return forms.BooleanField(**common)
    if parameter.kind == "text":
        return forms.CharField(max_length=200, **common)
    if parameter.kind == "int":
        return forms.IntegerField(min_value=_whole(parameter.low), max_value=_whole(parameter.high), **common)
    return forms.FloatField(min_value=parameter.low, max_value=parameter.high, **common)


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)
