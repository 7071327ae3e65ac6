from __future__ import annotations

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from anonymizers.registry import ANONYMIZERS
from contest.models import Contest, Round


class AnnouncementForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=120)
    body = forms.CharField(
        label=_("Text"), required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 4})
    )


class HouseEntryForm(forms.Form):
    """A baseline that the house makes and hands in like anybody else."""

    round = forms.ModelChoiceField(Round.objects.none(), label=_("Round"))
    method = forms.ChoiceField(label=_("Method"))
    parameters = forms.CharField(
        label=_("Parameters"),
        required=False,
        max_length=500,
        help_text=_('As JSON, for example {"share": 0.2}. Empty: the defaults.'),
    )
    seed = forms.IntegerField(label=_("Seed"), min_value=0, max_value=2**31 - 1, initial=1)

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rounds = self.fields["round"]
        methods = self.fields["method"]
        assert isinstance(rounds, forms.ModelChoiceField)
        assert isinstance(methods, forms.ChoiceField)
        rounds.queryset = Round.objects.filter(contest=contest)
        methods.choices = [(method.name, f"{method.name}: {method.title}") for method in ANONYMIZERS]

    def clean_parameters(self) -> dict[str, Any]:
        text = self.cleaned_data["parameters"].strip()
        try:
            parsed = json.loads(text) if text else {}
        except ValueError as error:
            raise forms.ValidationError(_("This is no JSON: %(error)s."), params={"error": error}) from None
        if not isinstance(parsed, dict):
            raise forms.ValidationError(_('Expected an object such as {"share": 0.2}.'))
        return parsed
