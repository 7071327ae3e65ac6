"""A round that is played by a game, alone or with a new contest, and what organisers change about it."""

from __future__ import annotations

from typing import IO, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from contest.bundle.declared import ROUND
from contest.declarations.contest import CONTEST
from contest.declarations.game import SAMPLES
from contest.declarations.round import NAMED
from contest.forms.games.declared import (
    parameter_fields,
    parameters_in,
    rule_field,
    source_fields,
    sources_in,
)
from contest.forms.new_contest import clean_start, start_field
from contest.forms.phases import reason_field
from contest.forms.setting_fields import field_in_zone, field_of
from contest.forms.settings import SettingsForm
from contest.language.game_words import worded
from contest.models import Round
from contest.names.policy import TITLE
from contest.names.validation import clean_name
from contest.services.game_contests import NewGameRound
from games.contract.declaration import Declaration, Method
from games.contract.presets import Preset, attempts_of

DECLARED = {setting.name: setting for setting in CONTEST}
ROUND_DECLARED = {setting.name: setting for setting in (*NAMED, *ROUND)}


class SourcesForm(forms.Form):
    """What organisers bring for a round."""

    def __init__(self, declared: Declaration, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.declared = declared
        self.fields |= source_fields(declared)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        self.sources: dict[str, IO[bytes]] = sources_in(self.declared, given)
        return given


class GameRoundForm(SourcesForm):
    """All that is decided about a round before it exists."""

    round_name = field_of(ROUND_DECLARED["name"], label=_("Name of the round"))
    round_slug = field_of(ROUND_DECLARED["slug"], label=_("Address of the round"))
    starts_at = start_field(_("In the zone above; at once if left empty."))
    hide_days = forms.IntegerField(label=_("Days of hiding"), min_value=1, max_value=365, initial=7)
    seek_days = forms.IntegerField(label=_("Days of seeking"), min_value=1, max_value=365, initial=7)
    feedback = field_of(ROUND_DECLARED["feedback"], initial=ROUND_DECLARED["feedback"].default)

    def __init__(
        self, declared: Declaration, zone: str, *args: Any, preset: Preset | None = None, **kwargs: Any
    ) -> None:
        super().__init__(declared, *args, **kwargs)
        self.zone, self.preset = zone, preset or Preset()
        if declared.phases == "seek":
            del self.fields["hide_days"]
        self.fields["rule"] = rule_field(declared, self.preset.rule)
        self.fields |= parameter_fields(declared.parameters, self.preset.parameters)
        sources = [name for name in self.fields if name.startswith("file")]
        self.fields |= {
            "methods": _several(_("House entries"), declared.methods, []),
            "attacks": _several(_("House attacks"), declared.attacks, [it.name for it in declared.attacks]),
            "samples": field_of(SAMPLES, initial=SAMPLES.default),
        }
        self.order_fields([name for name in self.fields if name not in sources] + sources)
        if "time_zone" not in self.fields:
            text = _("In the zone %(zone)s; at once if left empty.") % {"zone": zone}
            self.fields["starts_at"].help_text = text

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        clean_start(self, given, given.get("time_zone", self.zone))
        return given

    def planned(self) -> NewGameRound:
        given = self.cleaned_data
        defaults = {
            method.name: {setting.name: setting.default for setting in method.parameters}
            for method in self.declared.methods
        }
        return NewGameRound(
            name=given["round_name"],
            slug=given["round_slug"],
            starts_at=given["starts_at"],
            hide_days=given.get("hide_days") or 1,
            seek_days=given["seek_days"],
            params=parameters_in(self.declared.parameters, given),
            rule=given["rule"],
            sources=self.sources,
            baselines=[(name, defaults[name]) for name in given["methods"]],
            attacks=given["attacks"],
            samples=given["samples"],
            # The other settings are as in every round, and can be changed later.
            settings={"feedback": given["feedback"], **attempts_of(self.preset)},
        )


def _several(label: Any, methods: tuple[Method, ...], chosen: list[str]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label,
        choices=[(method.name, f"{method.name}: {worded(method.title)}") for method in methods],
        widget=forms.CheckboxSelectMultiple if methods else forms.MultipleHiddenInput,
        initial=chosen,
        required=False,
    )


class ContestFields(forms.Form):
    """The first decisions about a contest."""

    title = field_of(DECLARED["title"])
    slug = field_of(
        DECLARED["slug"], help_text=_("Letters, digits, - and _: the last part of the contest’s address.")
    )
    summary = field_of(DECLARED["summary"])
    time_zone = field_of(DECLARED["time_zone"], initial="UTC")

    def clean_title(self) -> str:
        return clean_name(self.cleaned_data["title"], TITLE)

    def contest(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("title", "slug", "summary", "time_zone")}


class GameContestForm(ContestFields, GameRoundForm):
    """A contest with its first round, by an installed game."""

    is_public = forms.BooleanField(label=_("Everybody sees it at once"), required=False)

    def __init__(
        self, declared: Declaration, *args: Any, preset: Preset | None = None, **kwargs: Any
    ) -> None:
        super().__init__(declared, "UTC", *args, preset=preset, **kwargs)
        own = ["title", "slug", "summary", "time_zone", "is_public"]
        self.order_fields(own + [name for name in self.fields if name not in own])
        self.initial["title"], self.initial["slug"] = worded(declared.title), declared.name
        self.initial["round_name"], self.initial["round_slug"] = _("Round 1"), "round-1"

    def contest(self) -> dict[str, Any]:
        return {**super().contest(), "is_public": self.cleaned_data["is_public"]}


class UploadGameForm(forms.Form):
    game = forms.FileField(
        label=_("Game"), help_text=_("The zip that kakurenbo game pack writes, or a Codabench bundle.")
    )


class UploadedGameContestForm(ContestFields, UploadGameForm):
    """A contest that begins with the zip of a game; it has no round before its examples were run."""

    field_order = ("title", "slug", "summary", "time_zone", "game")


class GameRoundSettingsForm(SettingsForm):
    """The settings of a round of a game: all but those that formats have, with the rule and parameters."""

    def __init__(self, round_: Round, declared: Declaration, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.declared = declared
        self.plain = [setting for setting in ROUND if setting.name != "ranking"]
        zone = round_.contest.zone
        self.fields |= {setting.name: field_in_zone(setting, zone) for setting in self.plain}
        self.fields["ranking"] = rule_field(declared, round_.ranking)
        own = parameter_fields(declared.parameters, round_.params)
        self.fields |= own
        self.initial = {setting.name: getattr(round_, setting.name) for setting in self.plain}
        self.initial |= {"ranking": round_.ranking, "version": round_.settings_version}
        self.initial |= {name: field.initial for name, field in own.items()}
        self.fields["reason"] = reason_field()
        self.keep_what_is_not_sent()

    def given(self) -> dict[str, Any]:
        data = self.cleaned_data
        plain = {setting.name: data[setting.name] for setting in self.plain}
        params = parameters_in(self.declared.parameters, data)
        return {**plain, "ranking": data["ranking"], "params": params}


class GameMethodForm(forms.Form):
    """The parameters of a house method of a game."""

    def __init__(self, method: Method, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.method = method
        self.fields |= parameter_fields(method.parameters, {})

    def parameters(self) -> dict[str, Any]:
        return parameters_in(self.method.parameters, self.cleaned_data)


class GameAttackForm(forms.Form):
    """A house attack of a game that does not take part yet."""

    attack = forms.ChoiceField(label=_("Attack"))

    def __init__(self, declared: Declaration, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attacks = self.fields["attack"]
        assert isinstance(attacks, forms.ChoiceField)
        attacks.choices = [(it.name, f"{it.name}: {worded(it.title)}") for it in declared.attacks]
