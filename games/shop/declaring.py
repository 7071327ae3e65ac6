"""What the registries know of a shop game, added to what its `game.yaml` declares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anonymizers.anonymizer import Parameter
from datasets.setting import LARGEST, Setting
from games.contract.declaration import BoardWords, Declaration, Method, Number, Rule, Term
from games.shop.data.rules import RULES
from games.shop.formats import find_format
from games.shop.guessing import find_game
from games.shop.limits import limit_parameters
from games.shop.measures.registry import measures_of
from games.shop.methods.registry import EVERY_ANONYMIZER
from games.shop.ranking import RANKINGS
from games.shop.texts import FORMAT_TEXTS
from scoring.rules import Limit

KINDS: dict[str, Any] = {
    "int": "integer", "float": "number", "choice": "choice", "bool": "flag", "text": "text",
}  # fmt: skip
LARGEST_INTEGER = 2**53
LONGEST_TEXT = 1000
BOARDS = (
    BoardWords(
        "main",
        {"en": "Hiders", "ja": "匿名化の順位"},
        (
            Number("people", {"en": "People in M′", "ja": "M′の人数"}, decimals=0),
            Number("shot-down", {"en": "Shot down", "ja": "撃墜"}, decimals=0),
        ),
    ),
)


def completed(declaration: Declaration, format_name: str, usual: Sequence[Limit]) -> Declaration:
    """The declaration with the measures, methods, attacks, ranking rules and parameters of a format.

    ``usual`` are the limits of a round that sets none. The rule of the format's own year comes first.
    """
    spec, play, measures = find_format(format_name), find_game(format_name), measures_of(format_name)
    challenges = tuple(challenge.name for challenge in declaration.challenges)
    text = FORMAT_TEXTS[format_name]
    rules = sorted(RANKINGS, key=lambda ranking: ranking.name != format_name)
    return replace(
        declaration,
        hidden={"en": text.hidden},
        terms=tuple(Term(sign, {"en": meaning}) for sign, meaning in text.terms.items()),
        measures=tuple(
            Number(
                it.name, {"en": it.title}, {"en": it.meaning}, it.better,
                low=it.low, high=it.high, version=it.version,
            )
            for it in measures
        ),
        methods=methods_of(format_name),
        attacks=tuple(
            Method(it.name, {"en": it.title}, {"en": it.meaning}, (), challenges, it.version)
            for it in play.attacks
        ),
        rules=tuple(Rule(it.name, {"en": it.formula}, boards=("main", "attackers")) for it in rules),
        boards=BOARDS,
        parameters=(
            *declaration.parameters,
            *(rule for rule in RULES if rule.name in spec.rules),
            *limit_parameters(measures, usual),
        ),
    )  # fmt: skip


def methods_of(format_name: str) -> tuple[Method, ...]:
    """The house methods of a format, with parameters that are settings.

    >>> [setting.name for setting in next(it for it in methods_of("2016") if it.name == "swap").parameters]
    ['share', 'what']
    """
    return tuple(
        Method(
            it.name, {"en": it.title}, {"en": it.meaning},
            tuple(map(setting_of, it.parameters)), version=it.version,
        )
        for it in EVERY_ANONYMIZER
        if it.format == format_name
    )  # fmt: skip


def setting_of(parameter: Parameter) -> Setting:
    """A parameter of a method as a setting.

    >>> setting_of(Parameter("share", "float", 0.2, "Share of the rows.", low=0, high=1)).checked(0.5)
    0.5
    """
    bounds: dict[str, Any] = {}
    if parameter.kind == "text":
        bounds = {"most": LONGEST_TEXT}
    elif parameter.kind in ("int", "float"):
        largest = LARGEST_INTEGER if parameter.kind == "int" else LARGEST
        bounds = {
            "least": -largest if parameter.low is None else parameter.low,
            "most": largest if parameter.high is None else parameter.high,
        }
    choices = tuple((choice, choice) for choice in parameter.choices)
    return Setting(
        parameter.name,
        KINDS[parameter.kind],
        parameter.meaning,
        default=parameter.default,
        choices=choices,
        **bounds,
    )
