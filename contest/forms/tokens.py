from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.models import ApiToken, Team, User

DAYS = [(7, _("one week")), (30, _("30 days")), (90, _("90 days")), (365, _("one year"))]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("What it is for"), max_length=60, help_text=_("So that you know later which one to revoke.")
    )
    team = forms.ModelChoiceField(
        Team.objects.none(),
        label=_("For"),
        required=False,
        empty_label=_("me, in all my contests"),
        help_text=_("A token of a team works only in its contest; every member sees it and may revoke it."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=ApiToken.Scope.choices,
        initial=[ApiToken.Scope.READ, ApiToken.Scope.SUBMIT],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(label=_("Valid for"), choices=DAYS, coerce=int, initial=90)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = self.fields["team"]
        assert isinstance(teams, forms.ModelChoiceField)
        teams.queryset = Team.objects.filter(memberships__user=user)
