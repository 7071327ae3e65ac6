from __future__ import annotations

import dataclasses
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from anonymizers.anonymizer import Parameter
from contest.forms.setting_fields import choices_of
from contest.forms.setting_fields import field_of as setting_field
from contest.language.translation import say
from contest.models import Contest, Entry, Round, Team, User
from contest.names.lookalikes import normalise_name
from games.formats.guessing import GAMES
from games.formats.limits import LIMIT, OPERATOR, WrongWay, measure_setting, operator_for
from games.formats.measures import measure as find_measure
from games.formats.methods import EVERY_ANONYMIZER, Anonymizer
from scoring.proposals import Proposal
from scoring.rules import Limit


class AnnouncementForm(forms.Form):
    title = forms.CharField(label=_("Title"), max_length=120)
    body = forms.CharField(
        label=_("Text"), required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 4})
    )
    by_mail = forms.BooleanField(label=_("Also by e-mail to the members of all teams"), required=False)


class HouseMethodForm(forms.Form):
    """The first step of a house entry: which of the methods that are made for the contest's data."""

    method = forms.ChoiceField(label=_("Method"))

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        methods = self.fields["method"]
        assert isinstance(methods, forms.ChoiceField)
        formats = set(contest.rounds.filter(game=None).values_list("dataset__format", flat=True))
        methods.choices = [
            (method.name, f"{method.name}: {say(method.title)}")
            for method in EVERY_ANONYMIZER
            if method.format in formats
        ]


class HouseEntryForm(forms.Form):
    """The second step: a field for every parameter that the method declares."""

    round = forms.ModelChoiceField(Round.objects.none(), label=_("Round"), empty_label=None)

    def __init__(self, contest: Contest, method: Anonymizer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.method = method
        rounds = self.fields["round"]
        assert isinstance(rounds, forms.ModelChoiceField)
        rounds.queryset = Round.objects.filter(contest=contest, dataset__format=method.format)
        for parameter in method.parameters:
            self.fields[PREFIX + parameter.name] = field_of(parameter)

    def parameters(self) -> dict[str, Any]:
        """What was chosen, without what was left at its default."""
        chosen = {it.name: self.cleaned_data[PREFIX + it.name] for it in self.method.parameters}
        defaults = {it.name: it.default for it in self.method.parameters}
        return {name: value for name, value in chosen.items() if value not in (None, "", defaults[name])}


PREFIX = "set_"


def field_of(parameter: Parameter) -> forms.Field:
    """The form field of a declared parameter."""
    common: dict[str, Any] = {
        "label": parameter.name,
        "help_text": say(parameter.meaning),
        "initial": parameter.default,
        "required": False,
    }
    if parameter.kind == "choice":
        return forms.ChoiceField(choices=[(choice, choice) for choice in parameter.choices], **common)
    if parameter.kind == "bool":
        return forms.BooleanField(**common)
    if parameter.kind == "text":
        return forms.CharField(max_length=200, **common)
    if parameter.kind == "int":
        return forms.IntegerField(min_value=_whole(parameter.low), max_value=_whole(parameter.high), **common)
    return forms.FloatField(min_value=parameter.low, max_value=parameter.high, **common)


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


class RepairForm(forms.Form):
    """What is done to the entries that were chosen in the table above it."""

    ACTS = (
        ("void", _("Void: no longer counts, without blame")),
        ("unvoid", _("Remove a mark")),
        ("disqualify", _("Disqualify")),
        ("give-back", _("Give the attempt back")),
        ("rerun", _("Run all attacks on them again")),
    )
    act = forms.ChoiceField(label=_("What to do"), choices=ACTS)
    reason = forms.CharField(
        label=_("Reason"), max_length=300, help_text=_("Stored in the log; may be shown to everybody.")
    )


class RoundField(forms.ModelChoiceField):
    """A round by its own name; the contest is known from the page."""

    def label_from_instance(self, obj: Round) -> str:
        return obj.name


class EntryFilterForm(forms.Form):
    round = RoundField(Round.objects.none(), label=_("Round"), required=False, empty_label=_("all"))
    state = forms.ChoiceField(label=_("State"), required=False)
    team = forms.CharField(label=_("Team’s name contains"), required=False, max_length=60)

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rounds, states = self.fields["round"], self.fields["state"]
        assert isinstance(rounds, forms.ModelChoiceField)
        assert isinstance(states, forms.ChoiceField)
        rounds.queryset = Round.objects.filter(contest=contest)
        states.choices = [("", _("all")), *Entry.State.choices, *Entry.Mark.choices[1:]]

    def narrowed(self, entries: QuerySet[Entry]) -> QuerySet[Entry]:
        data = self.cleaned_data
        if data["round"]:
            entries = entries.filter(round=data["round"])
        if data["state"] in Entry.Mark.values:
            entries = entries.filter(mark=data["state"])
        elif data["state"]:
            entries = entries.filter(state=data["state"])
        if data["team"]:
            entries = entries.filter(team__name_key__contains=normalise_name(data["team"]))
        return entries


class LimitsForm(forms.Form):
    """The limits of a round: a number for every measure in force, and room for one more."""

    def __init__(self, round_: Round, *args: Any, proposed: Proposal | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.current = [Limit(**limit) for limit in round_.limits]
        offered_limits = {limit.measure: limit.limit for limit in proposed.limits} if proposed else {}
        for limit in self.current:
            self.fields[f"limit_{limit.measure}"] = setting_field(
                LIMIT,
                label=f"{say(find_measure(limit.measure).title)} {limit.sign}",
                required=False,
                initial=offered_limits.get(limit.measure, limit.limit),
                help_text=_("Empty: no limit on it any more."),
            )
        measure = measure_setting(round_.dataset.format)
        taken = {limit.measure for limit in self.current}
        others = tuple(choice for choice in measure.choices if choice[0] not in taken)
        measure = dataclasses.replace(measure, choices=others)
        offered = setting_field(measure, label=_("Another measure"), required=False)
        assert isinstance(offered, forms.ChoiceField)
        offered.choices = [("", _("none")), *choices_of(measure)]
        self.fields |= {
            "measure": offered,
            "operator": _operator_field(),
            "limit": setting_field(LIMIT, required=False),
        }
        self.fields["reason"] = forms.CharField(
            label=_("Reason"), max_length=300, help_text=_("Stored in the log; may be shown to everybody.")
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("measure") and data.get("limit") is None and "limit" not in self.errors:
            self.add_error("limit", _("A new measure needs a limit."))
        if data.get("measure"):
            try:
                data["operator"] = operator_for(data["measure"], data.get("operator") or None)
            except WrongWay:
                self.add_error("operator", _("This measure is better when higher: its limit is “at least”."))
        return data

    def limits(self) -> list[Limit]:
        data = self.cleaned_data
        kept = [
            Limit(limit.measure, limit.operator, value)
            for limit in self.current
            if (value := data[f"limit_{limit.measure}"]) is not None
        ]
        if data["measure"]:
            kept.append(Limit(data["measure"], data["operator"], data["limit"]))
        return kept


def _operator_field() -> forms.Field:
    field = setting_field(OPERATOR, required=False)
    assert isinstance(field, forms.ChoiceField)
    field.choices = [("", _("as the measure asks for")), *choices_of(OPERATOR)]
    return field


class OrganiserForm(forms.Form):
    username = forms.CharField(label=_("User name"), max_length=40)

    def clean_username(self) -> User:
        name = self.cleaned_data["username"]
        user = User.objects.filter(name_key=normalise_name(name), is_active=True).first()
        if user is None:
            raise forms.ValidationError(_("There is no user %(name)r.") % {"name": name})
        return user


class TeamActForm(forms.Form):
    """What is done to the teams that were chosen in the table above it."""

    ACTS = (
        ("approve", _("Approve")),
        ("lock", _("Lock: keeps its results, hands nothing in")),
        ("unlock", _("Unlock")),
        ("remove", _("Remove from the contest and its boards")),
        ("restore", _("Undo a removal")),
    )
    act = forms.ChoiceField(label=_("What to do"), choices=ACTS)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=300,
        required=False,
        help_text=_("Needed for all but an approval. The team sees it."),
    )


class TeamField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Team) -> str:
        return obj.name


class MergeForm(forms.Form):
    source = TeamField(Team.objects.none(), label=_("The people of"))
    target = TeamField(Team.objects.none(), label=_("join"))
    reason = forms.CharField(label=_("Reason"), max_length=300, help_text=_("The teams see it."))

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = Team.objects.filter(contest=contest, is_house=False).exclude(status=Team.Status.REMOVED)
        for name in ("source", "target"):
            field = self.fields[name]
            assert isinstance(field, TeamField)
            field.queryset = teams.order_by("name_key")


class HouseAttackForm(forms.Form):
    round = RoundField(Round.objects.none(), label=_("Round"), empty_label=None)
    attack = forms.ChoiceField(label=_("Attack"))

    def __init__(self, contest: Contest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rounds, attacks = self.fields["round"], self.fields["attack"]
        assert isinstance(rounds, RoundField)
        assert isinstance(attacks, forms.ChoiceField)
        rounds.queryset = Round.objects.filter(contest=contest, game=None)
        formats = set(rounds.queryset.values_list("dataset__format", flat=True))
        offered = [attack for game in GAMES if game.format.name in formats for attack in game.attacks]
        attacks.choices = [(it.name, f"{it.name}: {say(it.title)}") for it in offered]


class CapacityForm(forms.Form):
    workers = forms.IntegerField(label=_("Workers side by side"), min_value=1, max_value=1000)
