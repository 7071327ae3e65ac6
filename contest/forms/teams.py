from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.names.policy import TEAM
from contest.names.validation import clean_name


class TeamForm(forms.Form):
    name = forms.CharField(
        label=_("Public name of the team"),
        max_length=TEAM.longest,
        help_text=_("Everybody sees this name on the board. It need not say who you are."),
    )

    def clean_name(self) -> str:
        return clean_name(self.cleaned_data["name"], TEAM)
