from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.forms.phases import reason_field
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


class MemberRemovalForm(forms.Form):
    """Organisers say why; the captain of a team need not."""

    def __init__(self, *args: Any, needs_reason: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if needs_reason:
            self.fields["reason"] = reason_field()
