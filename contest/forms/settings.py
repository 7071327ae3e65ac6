"""Every setting of a contest and of a round, with the version that the form showed."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.bundle.declared import ROUND
from contest.declarations.contest import CONTEST
from contest.declarations.phase import SHIFT, STARTS_AT
from contest.declarations.round import NAMED
from contest.forms.phases import reason_field
from contest.forms.setting_fields import MomentField, field_in_zone, field_of
from contest.models import Contest, Round
from contest.names.policy import TITLE
from contest.names.validation import clean_name
from contest.services.commitments import canonical_json
from contest.services.rounds import NewRound, sources
from contest.services.settings import CONTEST_SETTINGS, ROUND_SETTINGS, as_audited
from contest.services.shifts import plan_of
from games.formats.rules import RULES, FileRules


class SettingsForm(forms.Form):
    """``version`` is the one that was shown; ``previewed`` says for which values the consequences were."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    previewed = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)
    settings: tuple[str, ...] = ()

    def keep_what_is_not_sent(self) -> None:
        """A setting that was not sent stays as it is, as in the API."""
        if self.is_bound:
            unsent = [name for name in self.fields if name in self.initial and name not in self.data]
            self.showing(**{name: self._as_typed(name) for name in unsent if name != "version"})

    def _as_typed(self, name: str) -> Any:
        value = self.fields[name].prepare_value(self.initial[name])
        return "" if value is None else str(value)

    def given(self) -> dict[str, Any]:
        """The settings as their model holds them."""
        return {name: self.cleaned_data[name] for name in self.settings}

    @property
    def digest(self) -> str:
        """Identifies exactly these values on top of exactly this version."""
        given = {name: as_audited(value) for name, value in self.given().items()}
        text = canonical_json([self.cleaned_data["version"], given])
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    @property
    def was_previewed(self) -> bool:
        return self.cleaned_data["previewed"] == self.digest

    def showing(self, **hidden: Any) -> None:
        """Have other values in this form than those that were sent."""
        self.data = {**{name: self.data[name] for name in self.data}, **hidden}


class ContestSettingsForm(SettingsForm):
    settings = CONTEST_SETTINGS

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {setting.name: field_in_zone(setting, contest.zone) for setting in CONTEST}
        self.initial = {name: getattr(contest, name) for name in CONTEST_SETTINGS}
        self.initial["version"] = contest.settings_version
        self.fields["reason"] = reason_field()
        self.keep_what_is_not_sent()

    def clean_title(self) -> str:
        title: str = self.cleaned_data["title"]
        return title if title == self.initial["title"] else clean_name(title, TITLE)


class NewRoundForm(SettingsForm):
    """A round like another; what the source decides is changed in the round's settings afterwards."""

    like = forms.ChoiceField(
        label=_("Like"),
        help_text=_(
            "Settings, limits, house attacks and the lengths of the phases are taken over, "
            "but neither entries nor house entries. Presets are played on data of this contest."
        ),
    )

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {setting.name: field_of(setting) for setting in NAMED}
        choices = self.fields["like"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(source.key, source.title) for source in sources(contest)]
        self.initial["version"] = contest.settings_version
        self.fields["starts_at"] = MomentField(STARTS_AT, contest.zone, label=_("The first phase begins"))
        self.fields["reason"] = reason_field()

    def given(self) -> dict[str, Any]:
        named = {name: self.cleaned_data[name] for name in ("like", "name", "slug")}
        return {**named, "starts_at": self.cleaned_data["starts_at"].isoformat()}

    def planned(self) -> NewRound:
        return NewRound(**{**self.given(), "starts_at": self.cleaned_data["starts_at"]})


class RemovalForm(SettingsForm):
    """The only decisions are whether, and why."""

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = round_.slug
        self.initial["version"] = round_.settings_version
        self.fields["reason"] = reason_field()

    def given(self) -> dict[str, Any]:
        return {"removed": self.slug}


class ShiftForm(SettingsForm):
    """By how much a round is moved; the plan of the phases is part of what was previewed."""

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.plan = plan_of(round_)
        self.fields |= {setting.name: field_of(setting, initial=0) for setting in SHIFT}
        self.initial["version"] = round_.settings_version
        self.fields["reason"] = reason_field()

    @property
    def by(self) -> datetime.timedelta:
        return datetime.timedelta(**{setting.name: self.cleaned_data[setting.name] for setting in SHIFT})

    def given(self) -> dict[str, Any]:
        return {"seconds": self.by.total_seconds(), "plan": self.plan}


class RoundSettingsForm(SettingsForm):
    """The settings of a round, and those file rules that its format has."""

    settings = ROUND_SETTINGS

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = FileRules(**round_.file_rules)
        switches = [rule for rule in RULES if rule.name in round_.dataset.spec.rules]
        self.switches = [rule.name for rule in switches]
        zone = round_.contest.zone
        self.fields |= {setting.name: field_in_zone(setting, zone) for setting in (*ROUND, *switches)}
        self.initial = {setting.name: getattr(round_, setting.name) for setting in ROUND}
        self.initial |= {name: getattr(self.rules, name) for name in self.switches}
        self.initial["version"] = round_.settings_version
        self.fields["reason"] = reason_field()
        self.keep_what_is_not_sent()

    def given(self) -> dict[str, Any]:
        data = self.cleaned_data
        rules = dataclasses.replace(self.rules, **{name: data[name] for name in self.switches})
        plain = {setting.name: data[setting.name] for setting in ROUND}
        return {**plain, "file_rules": dataclasses.asdict(rules)}
