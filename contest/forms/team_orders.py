"""What a team tells the house: the parameters of a method, or the targets of an attack, and a seed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from contest.forms.games.declared import PARAMETER, parameters_in
from contest.forms.setting_fields import field_of
from contest.language.game_words import help_of, label_of
from contest.language.translation import say
from contest.services.team_orders import SEED, Asked
from datasets.setting import Setting
from games.contract.declaration import Method


class OrderForm(forms.Form):
    """What all orders share. The buttons say whether it is handed in."""

    note = forms.CharField(label=gettext_lazy("Note to yourself"), required=False, max_length=200)
    seed = field_of(
        SEED,
        label=gettext_lazy("Seed"),
        help_text=gettext_lazy(
            "Leave it empty, and a secret one is drawn. Anybody who knows or guesses the seed of an entry "
            "can make the entry again and read who is who."
        ),
    )

    def asked(self, method: str, *, is_handed_in: bool, **facts: Any) -> Asked:
        data = self.cleaned_data
        return Asked(method, seed=data["seed"], note=data["note"], is_handed_in=is_handed_in, **facts)


class MethodForm(OrderForm):
    """A field for each parameter of a house method, with its meaning, its range and its default."""

    def __init__(self, method: Method, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.method = method
        own = {PARAMETER + setting.name: _field(setting) for setting in method.parameters}
        self.fields = {**own, **self.fields}

    def parameters(self) -> dict[str, Any]:
        return parameters_in(self.method.parameters, self.cleaned_data)


def _field(setting: Setting) -> forms.Field:
    """A game names its parameters in words; a method of the house says what its own mean."""
    is_named = bool(setting.words)
    meaning = help_of(setting) if is_named else say(setting.label)
    label = label_of(setting) if is_named else setting.name
    range_ = _("%(name)s: %(expected)s, usually %(default)s.") % {
        "name": setting.name,
        "expected": say(setting.expected),
        "default": "–" if setting.default is None else setting.default,
    }
    help_text = " ".join(filter(None, (meaning if meaning != setting.name else "", range_)))
    return field_of(setting, label=label, help_text=help_text, initial=setting.default)


class AttackForm(OrderForm):
    """Targets of a house attack, all of them if none is chosen."""

    targets = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Targets to attack"),
        help_text=gettext_lazy("None chosen: all of them."),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    attack = forms.ChoiceField(label=gettext_lazy("Attack"))
    field_order = ("attack", "targets", "note", "seed")

    def __init__(
        self, attacks: list[tuple[str, str]], targets: list[tuple[str, str]], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seed"].help_text = _("Leave it empty, and a secret one is drawn.")
        chosen, attack = self.fields["targets"], self.fields["attack"]
        assert isinstance(chosen, forms.TypedMultipleChoiceField)
        assert isinstance(attack, forms.ChoiceField)
        chosen.choices, attack.choices = targets, attacks
