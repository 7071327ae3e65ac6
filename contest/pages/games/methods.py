"""Everything that a game brings along: its methods, attacks, measures and rules, each with what it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from contest.language.declared import readable, title_of
from contest.language.game_words import help_of, label_of
from contest.language.translation import say
from contest.models import Attack, Round
from contest.pages.games.rules import limit_of
from contest.play.table import Table, has_hiding
from datasets.setting import Setting
from games.contract.declaration import Declaration, Method, Number


@dataclass(frozen=True)
class ParameterLine:
    """A parameter of a method: what it may be, and what it is where nobody says otherwise."""

    name: str
    label: str
    help: str
    range: str
    default: str


@dataclass(frozen=True)
class MethodCard:
    method: Method
    parameters: list[ParameterLine]
    answers: list[str]
    """The titles of the challenges that an attack answers."""
    takes_part: bool = False


def methods_context(round_: Round) -> dict[str, Any]:
    table = Table(round_)
    declared = table.declared
    names = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE, is_active=True)
    active = set(names.values_list("name", flat=True))
    return {
        "contest": round_.contest,
        "round": round_,
        "title": title_of(declared),
        "has_hiding": has_hiding(round_),
        "methods": [_card(declared, method) for method in declared.methods],
        "attacks": [_card(declared, attack, attack.name in active) for attack in declared.attacks],
        "measures": [
            (number, range_of(number), limit_of(table, number.name)) for number in declared.measures
        ],
        "rules": [(rule, rule.name == table.rule) for rule in declared.rules],
    }


def _card(declared: Declaration, method: Method, takes_part: bool = False) -> MethodCard:
    answered = [title_of(declared.challenge(name)) for name in method.challenges]
    return MethodCard(method, parameter_lines(method.parameters), answered, takes_part)


def parameter_lines(settings: Sequence[Setting]) -> list[ParameterLine]:
    return [
        ParameterLine(
            setting.name,
            readable(setting.name) if label_of(setting) == setting.name else label_of(setting),
            help_of(setting),
            say(setting.expected),
            _("none") if setting.default is None else str(setting.default),
        )
        for setting in settings
    ]


def range_of(number: Number) -> str:
    """Between which values a number lies; nothing where the game does not say.

    >>> range_of(Number("risk", low=0, high=1)), range_of(Number("error", low=0)), range_of(Number("x"))
    ('0 – 1', '≥ 0', '–')
    """
    if number.low is not None and number.high is not None:
        return f"{number.low:g} – {number.high:g}"
    if number.low is not None:
        return f"≥ {number.low:g}"
    return "–" if number.high is None else f"≤ {number.high:g}"
