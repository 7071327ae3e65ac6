"""The rules page of a game: everything that it declares, and its own text in the reader's language."""

from __future__ import annotations

from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from contest.language.declared import readable, title_of
from contest.language.game_words import label_of, worded
from contest.language.markdown import to_html
from contest.models import Attack, Round
from contest.pages.games.data import described
from contest.play.packages import game_text
from contest.play.table import Table, has_hiding
from datasets.setting import Setting


def rules_context(round_: Round) -> dict[str, Any]:
    table = Table(round_)
    declared = table.declared
    active = Attack.objects.filter(round=round_, kind=Attack.Kind.HOUSE).values_list("name", flat=True)
    return {
        "contest": round_.contest,
        "round": round_,
        "declared": declared,
        "package": table.package,
        "has_hiding": has_hiding(round_),
        "text_html": text_html(table),
        "files": {
            scope: [described(file) for file in declared.files_of(scope)]
            for scope in ("round", "seat", "entry", "answer")
        },
        "measures": [(number, limit_of(table, number.name)) for number in declared.measures],
        "rule": next((rule for rule in declared.rules if rule.name == table.rule), None),
        "parameters": [
            (_label(setting), table.params.get(setting.name))
            for setting in declared.parameters
            if setting.name.partition("-")[0] != "limit"
            or setting.name.partition("-")[2] not in {number.name for number in declared.measures}
        ],
        "attacks": [attack for attack in declared.attacks if attack.name in set(active)],
        "laws_off": [(readable(name), worded(reason)) for name, reason in declared.laws_off.items()],
        "title": title_of(declared),
    }


def limit_of(table: Table, measure: str) -> tuple[str, float] | None:
    """The limit that the round sets on a measure: at most for what should be low, else at least."""
    number = next(one for one in table.declared.measures if one.name == measure)
    for name, operator in ((f"limit-{measure}", "≤"), (f"least-{measure}", "≥")):
        limit = table.params.get(name)
        if isinstance(limit, int | float) and not isinstance(limit, bool):
            turned = name.startswith("limit-") and number.better != "lower"
            return ("≥" if turned else operator, float(limit))
    return None


def _label(setting: Setting) -> str:
    label = label_of(setting)
    return readable(setting.name) if label == setting.name else label


def text_html(table: Table) -> SafeString | str:
    """The game's own text about its rules, cleaned; nothing where it has none."""
    text = rules_text(table)
    return to_html(text) if text else ""


def rules_text(table: Table) -> str:
    """The same as Markdown, as the game has it."""
    texts = table.declared.texts
    language = (get_language() or "en").partition("-")[0]
    name = texts.get(language) or texts.get("en") or next(iter(texts.values()), "")
    return game_text(table.package, name) if name else ""
