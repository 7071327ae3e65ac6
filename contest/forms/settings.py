"""Every setting of a contest and of a round, with the version that the form showed."""

from __future__ import annotations

import dataclasses
import hashlib
import zoneinfo
from typing import Any

from django import forms
from django.core.validators import validate_slug
from django.utils.translation import gettext_lazy as _

from contest.forms.phases import MomentField, reason_field
from contest.models import Contest, Round
from contest.models.round import Feedback
from contest.names.policy import TITLE
from contest.names.validation import clean_name
from contest.ranking import RANKINGS
from contest.services.commitments import canonical_json
from contest.services.rounds import NewRound, sources
from contest.services.settings import CONTEST_SETTINGS, ROUND_SETTINGS
from contest.words import say
from datasets.rules import FileRules

MEGABYTE = 1024 * 1024
RESERVED = frozenset({"organise", "teams", "new"})
"""Words that stand in addresses where the slug of a round stands."""


class SettingsForm(forms.Form):
    """``version`` is the one that was shown; ``previewed`` says for which values the consequences were."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    previewed = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)
    settings: tuple[str, ...] = ()

    def given(self) -> dict[str, Any]:
        """The settings as their model holds them."""
        return {name: self.cleaned_data[name] for name in self.settings}

    @property
    def digest(self) -> str:
        """Stands for exactly these values on top of exactly this version."""
        told = canonical_json([self.cleaned_data["version"], self.given()])
        return hashlib.sha256(told.encode("utf-8")).hexdigest()

    @property
    def was_previewed(self) -> bool:
        return self.cleaned_data["previewed"] == self.digest

    def showing(self, **hidden: Any) -> None:
        """Show other hidden values when this form is shown again."""
        self.data = {**{name: self.data[name] for name in self.data}, **hidden}


def zone_choices() -> list[tuple[str, str]]:
    return [(name, name) for name in sorted(zoneinfo.available_timezones())]


class ContestSettingsForm(SettingsForm):
    title = forms.CharField(label=_("Title"), max_length=TITLE.longest)
    summary = forms.CharField(label=_("Summary"), max_length=300)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=20_000, widget=forms.Textarea, help_text="Markdown"
    )
    slug = forms.CharField(label=_("Address"), max_length=50, validators=[validate_slug])
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=zone_choices)
    is_public = forms.BooleanField(label=_("Everybody sees the contest"), required=False)
    max_team_size = forms.IntegerField(label=_("Members of a team, at most"), min_value=1, max_value=1000)
    approve_teams = forms.BooleanField(label=_("New teams wait for approval"), required=False)
    settings = CONTEST_SETTINGS

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {name: getattr(contest, name) for name in CONTEST_SETTINGS}
        self.initial["version"] = contest.settings_version
        self.fields["reason"] = reason_field()

    def clean_title(self) -> str:
        title: str = self.cleaned_data["title"]
        return title if title == self.initial["title"] else clean_name(title, TITLE)


def require_free_word(slug: str) -> None:
    if slug in RESERVED:
        raise forms.ValidationError(_("This word has a meaning in addresses; choose another."))


class NamedRoundForm(SettingsForm):
    name = forms.CharField(label=_("Name"), max_length=80)
    slug = forms.CharField(label=_("Address"), max_length=50, validators=[validate_slug, require_free_word])


class NewRoundForm(NamedRoundForm):
    """A round like another; what the source decides is changed in the round's settings afterwards."""

    like = forms.ChoiceField(
        label=_("Like"),
        help_text=_(
            "Settings, limits, house attacks and the lengths of the phases are taken over, "
            "but neither entries nor house entries. Presets are played on data of this contest."
        ),
    )
    field_order = ("version", "previewed", "like", "name", "slug")

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = self.fields["like"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(source.key, source.title) for source in sources(contest)]
        self.initial["version"] = contest.settings_version
        self.fields["starts_at"] = MomentField(contest.zone, label=_("The first phase begins"))
        self.fields["reason"] = reason_field()

    def given(self) -> dict[str, Any]:
        named = {name: self.cleaned_data[name] for name in ("like", "name", "slug")}
        return {**named, "starts_at": self.cleaned_data["starts_at"].isoformat()}

    def planned(self) -> NewRound:
        return NewRound(**{**self.given(), "starts_at": self.cleaned_data["starts_at"]})


class RemovalForm(SettingsForm):
    """Nothing is to be decided but whether, and why."""

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.slug = round_.slug
        self.initial["version"] = round_.settings_version
        self.fields["reason"] = reason_field()

    def given(self) -> dict[str, Any]:
        return {"removed": self.slug}


class RoundSettingsForm(NamedRoundForm):
    weight = forms.FloatField(
        label=_("Weight in the overall ranking"),
        min_value=0,
        max_value=1000,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    ranking = forms.ChoiceField(label=_("Ranking rule"))
    house_takes_places = forms.BooleanField(
        label=_("The house takes places"),
        help_text=_("If not, its entries and attacks are shown beside the teams, without a place."),
        required=False,
    )
    feedback = forms.ChoiceField(label=_("What is told of attacks"), choices=Feedback.choices)
    feedback_bands = forms.IntegerField(label=_("Number of bands"), min_value=2, max_value=20)
    entries_per_day = forms.IntegerField(label=_("Entries of a team a day"), min_value=1, max_value=1000)
    entries_in_total = forms.IntegerField(label=_("Entries of a team in all"), min_value=1, max_value=10_000)
    attacks_per_day = forms.IntegerField(label=_("Attacks of a team a day"), min_value=0, max_value=1000)
    attacks_in_total = forms.IntegerField(
        label=_("Attacks of a team in all"),
        min_value=1,
        max_value=10_000,
        required=False,
        help_text=_("Empty: as many as the days allow."),
    )
    attacks_per_target = forms.IntegerField(
        label=_("Attacks of a team on one entry"),
        min_value=1,
        max_value=10_000,
        required=False,
        help_text=_("Empty: as many as in all."),
    )
    all_targets = forms.BooleanField(
        label=_("Guesses are sent for all targets at once"),
        help_text=_("So that nobody asks about one entry while others are left alone."),
        required=False,
    )
    program_seconds = forms.IntegerField(
        label=_("CPU seconds of a program a target"), min_value=1, max_value=3600
    )
    program_megabytes = forms.IntegerField(label=_("Megabytes of a program"), min_value=64, max_value=65_536)
    seed = forms.IntegerField(label=_("Seed of the house attacks"), min_value=0, max_value=2**63 - 1)
    is_hidden = forms.BooleanField(
        label=_("Only organisers see the round until its first phase begins"), required=False
    )
    drop_customers = forms.BooleanField(label=_("M′ may have fewer rows than M"), required=False)
    drop_rows = forms.BooleanField(label=_("T′ may have fewer rows than T"), required=False)
    add_rows = forms.BooleanField(label=_("T′ may have more rows than T"), required=False)
    foreign_items = forms.BooleanField(label=_("T′ may hold items that T lacks"), required=False)
    foreign_dates = forms.BooleanField(label=_("T′ may hold dates outside T's range"), required=False)
    foreign_countries = forms.BooleanField(label=_("M′ may hold countries that M lacks"), required=False)
    generalised = forms.BooleanField(label=_("M′ may hold generalised cells"), required=False)
    vanished = forms.ChoiceField(
        label=_("A dropped customer in ut-jaccard"),
        choices=[("charge", _("counts as lost")), ("ignore", _("is left out"))],
    )
    least_kept = forms.FloatField(label=_("Share of T's rows that must stay"), min_value=0, max_value=1)
    max_megabytes = forms.IntegerField(label=_("Megabytes of one file, at most"), min_value=1, max_value=1024)
    settings = ROUND_SETTINGS
    SWITCHES = (
        "drop_customers", "drop_rows", "add_rows", "foreign_items", "foreign_dates", "foreign_countries",
        "generalised", "vanished", "least_kept",
    )  # fmt: skip

    def __init__(self, round_: Round, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rankings = self.fields["ranking"]
        assert isinstance(rankings, forms.ChoiceField)
        rankings.choices = [(rule.name, f"{rule.name}: {say(rule.title)}") for rule in RANKINGS]
        self.rules = FileRules(**round_.file_rules)
        self.switches = [name for name in self.SWITCHES if name in round_.dataset.spec.rules]
        for name in set(self.SWITCHES) - set(self.switches):
            del self.fields[name]
        plain = [name for name in ROUND_SETTINGS if name != "file_rules"]
        self.initial = {name: getattr(round_, name) for name in plain}
        self.initial |= {name: getattr(self.rules, name) for name in self.switches}
        self.initial["max_megabytes"] = max(1, round(self.rules.max_bytes / MEGABYTE))
        self.initial["version"] = round_.settings_version
        self.fields["reason"] = reason_field()

    def given(self) -> dict[str, Any]:
        data = self.cleaned_data
        switches = {name: data[name] for name in self.switches}
        chosen = data["max_megabytes"]
        same_size = chosen == max(1, round(self.rules.max_bytes / MEGABYTE))
        size = self.rules.max_bytes if same_size else chosen * MEGABYTE
        rules = dataclasses.replace(self.rules, **switches, max_bytes=size)
        plain = {name: data[name] for name in ROUND_SETTINGS if name != "file_rules"}
        return {**plain, "file_rules": dataclasses.asdict(rules)}
