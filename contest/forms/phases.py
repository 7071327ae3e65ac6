"""What organisers enter when they move a phase. Times are in the zone of the contest."""

from __future__ import annotations

import copy
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.bundle.specification import PhaseSpec
from contest.declarations.phase import ENDS_AT, STARTS_AT
from contest.forms.setting_fields import MomentField
from contest.models import Phase, Round


def reason_field() -> forms.CharField:
    return forms.CharField(
        label=_("Reason"), max_length=300, help_text=_("Stored in the log; may be shown to everybody.")
    )


class ReasonForm(forms.Form):
    """An action that needs nothing but a reason."""

    reason = reason_field()


class PhaseForm(forms.Form):
    """``seen`` is the phase as the page showed it: what somebody else has moved since is not overwritten."""

    seen_starts = forms.DateTimeField(widget=forms.HiddenInput)
    seen_ends = forms.DateTimeField(widget=forms.HiddenInput)
    seen_closed = forms.DateTimeField(widget=forms.HiddenInput, required=False)

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.phase = phase
        for name, moment in (
            ("seen_starts", phase.starts_at),
            ("seen_ends", phase.ends_at),
            ("seen_closed", phase.closed_at),
        ):
            self.initial[name] = moment.isoformat() if moment else ""
        self.add_times(phase.round.contest.zone)
        self.fields["reason"] = reason_field()

    def add_times(self, zone: ZoneInfo) -> None:
        """A form that asks for times adds their fields here."""

    def seen(self) -> Phase:
        """The phase as the organiser saw it."""
        phase = copy.copy(self.phase)
        phase.starts_at = self.cleaned_data["seen_starts"]
        phase.ends_at = self.cleaned_data["seen_ends"]
        phase.closed_at = self.cleaned_data["seen_closed"]
        return phase


class EndForm(PhaseForm):
    def add_times(self, zone: ZoneInfo) -> None:
        self.fields["ends_at"] = MomentField(ENDS_AT, zone, label=_("New end"), initial=self.phase.ends_at)
        self.fields["move_later"] = forms.BooleanField(
            label=_("Move the later phases by the same time"), required=False, initial=True
        )


class SpanForm(PhaseForm):
    def add_times(self, zone: ZoneInfo) -> None:
        self.fields["starts_at"] = MomentField(
            STARTS_AT, zone, label=_("New start"), initial=self.phase.starts_at
        )
        self.fields["ends_at"] = MomentField(ENDS_AT, zone, label=_("New end"), initial=self.phase.ends_at)


class NewPhaseForm(forms.Form):
    """``version`` is that of the round as the page showed it."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    kind = forms.ChoiceField(label=_("Phase"))

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        there = {phase.kind for phase in round_.phases.all()}
        kinds = self.fields["kind"]
        assert isinstance(kinds, forms.ChoiceField)
        kinds.choices = [(kind, label) for kind, label in Phase.Kind.choices if kind not in there]
        self.initial["version"] = round_.settings_version
        self.fields["starts_at"] = MomentField(STARTS_AT, round_.contest.zone)
        self.fields["ends_at"] = MomentField(ENDS_AT, round_.contest.zone)
        self.fields["reason"] = reason_field()

    def span(self) -> PhaseSpec:
        return PhaseSpec(*(self.cleaned_data[name] for name in ("kind", "starts_at", "ends_at")))


FORMS: dict[str, type[PhaseForm]] = {
    "open": PhaseForm,
    "close": PhaseForm,
    "extend": EndForm,
    "reopen": EndForm,
    "move": SpanForm,
    "remove": PhaseForm,
}
