from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from contest.forms.phases import reason_field
from contest.models import Contest
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


class NewTeamForm(TeamForm):
    """A team of a contest; with a track where the contest has some."""

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if contest.tracks:
            self.fields["track"] = _track_field(contest)


class TrackForm(forms.Form):
    """Another track for a team. Organisers say why; the captain need not."""

    def __init__(self, contest: Contest, *args: Any, needs_reason: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["track"] = _track_field(contest)
        if needs_reason:
            self.fields["reason"] = reason_field()


def _track_field(contest: Contest) -> forms.ChoiceField:
    language = get_language() or "en"
    choices = [("", "–"), *((track.name, track.titled(language)) for track in contest.declared_tracks)]
    note = _("Boards can be read by track. Everybody sees the track of a team.")
    return forms.ChoiceField(label=_("Track"), choices=choices, help_text=note)


class MemberRemovalForm(forms.Form):
    """Organisers say why; the captain of a team need not."""

    def __init__(self, *args: Any, needs_reason: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if needs_reason:
            self.fields["reason"] = reason_field()
