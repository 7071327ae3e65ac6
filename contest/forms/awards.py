from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.forms.organise import TeamField
from contest.models import Award, Contest, Team
from contest.models.award import MOST, TOP


class TopForm(forms.Form):
    """Against how many of the best entries seekers are compared."""

    top = forms.IntegerField(
        label=_("How many of the best entries per round seekers are compared by"),
        min_value=1,
        max_value=MOST,
        initial=TOP,
    )


class CompetitorForm(forms.Form):
    """A team that competes, chosen by hand."""

    team = TeamField(Team.objects.none(), label=_("Team"))

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["team"]
        assert isinstance(field, TeamField)
        teams = Team.objects.filter(contest=contest, is_house=False).exclude(status=Team.Status.REMOVED)
        field.queryset = teams.order_by("name_key")


class ConfirmAwardForm(CompetitorForm, TopForm):
    """A computed award as the page proposed it."""

    kind = forms.ChoiceField(choices=[(kind, Award.Kind(kind).label) for kind in Award.COMPUTED])


class OwnAwardForm(CompetitorForm):
    title_en = forms.CharField(label=_("Title in English"), max_length=80)
    title_ja = forms.CharField(label=_("Title in Japanese"), max_length=80)
    text = forms.CharField(
        label=_("Text"),
        max_length=300,
        required=False,
        help_text=_("Shown with the award and on its certificate."),
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=300, help_text=_("Stored in the log; may be shown to everybody.")
    )
    field_order = ("title_en", "title_ja", "text", "team", "reason")


class UndoAwardForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"), max_length=300, help_text=_("Stored in the log; may be shown to everybody.")
    )
