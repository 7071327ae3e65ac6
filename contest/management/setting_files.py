"""Files made from the declared settings, kept with the code for people and other programs to read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from contest.bundle.declared import ROUND
from contest.bundle.schema import build_schema
from contest.declarations.contest import CONTEST
from contest.declarations.data import DATA
from contest.declarations.phase import PHASE
from datasets.rules import RULES
from datasets.setting import NOTHING, Setting
from scoring.limits import limit_settings

INTRODUCTION = """\
# Settings

Made by `manage.py declarations` from the declarations themselves: `contest/declarations/`,
`datasets/rules.py` and `scoring/limits.py`. The page, the API, bundles and the command line accept the same
values and refuse all others in the same words. The name is that of the API, the key that of a bundle.

To add a setting: declare it there, add its column to the model with a migration, and run
`manage.py declarations` and `manage.py catalogue`. Then supply the Japanese texts.
"""
OF_LIMITS = (
    "A measure of the round's format, once. A bundle has `at-most` or `at-least` for operator and limit."
)
GROUPS: tuple[tuple[str, str, tuple[Setting, ...]], ...] = (
    ("Contest", "", CONTEST),
    ("Round", "Practice is a round of weight 0.", ROUND),
    ("File rules", "Under `file_rules` in the API and `rules` in a bundle.", RULES),
    ("Limits", OF_LIMITS, limit_settings()),
    ("Phases", "Each round has each kind once.", PHASE),
    ("Data sets", "Where they are generated or built from the Online Retail file.", DATA),
)
CONSEQUENCES = {
    "address": "pages get new addresses",
    "approval": "waiting teams are reported",
    "attempts": "teams beyond the new number are reported; their entries stay",
    "bits": "what answers tell attackers changes, in bits",
    "board": "the timeline and the board change",
    "data": "other tables; only before the first entry",
    "feedback": "results are shown or hidden",
    "midnight": "days begin at another time",
    "places": "entries are ranked again",
    "programs": "waiting runs get the new bounds",
    "rules": "entries that break the rule become void",
    "scores": "entries are scored again, after a preview",
    "team-size": "larger teams are reported and stay",
    "visibility": "who sees it changes",
    "weight": "the overall ranking changes",
}


def generated_files() -> dict[str, str]:
    """The files by their paths, as they should be now."""
    schema = json.dumps(build_schema(), indent=2, ensure_ascii=False) + "\n"
    return {"contest/bundle/schema.json": schema, "docs/settings.md": settings_page()}


def settings_page() -> str:
    parts = [INTRODUCTION]
    for title, about, settings in GROUPS:
        parts += [f"## {title}\n", *([f"{about}\n"] if about else []), "\n".join(_table(settings)) + "\n"]
    return "\n".join(parts)


def _table(settings: Iterable[Setting]) -> Iterable[str]:
    yield "| name | key | meaning | values | default | who sees it | what a change brings about |"
    yield "|---|---|---|---|---|---|---|"
    for it in settings:
        follows = "; ".join(CONSEQUENCES[what] for what in it.on_change) or "–"
        key = ".".join(it.place)
        cells = (
            f"`{it.name}`",
            f"`{key}`",
            _meaning(it),
            str(it.expected),
            _default(it),
            it.visible_to,
            follows,
        )
        yield f"| {' | '.join(cells)} |"


def _meaning(setting: Setting) -> str:
    unit = " (in bytes)" if setting.name == "max_bytes" else ""
    return f"{setting.label}{unit}. {setting.help}".strip().rstrip(".")


def _default(setting: Setting) -> str:
    if setting.is_required:
        return "must be given"
    text = _value(setting.default)
    if setting.in_practice is not NOTHING:
        return f"{text}; {_value(setting.in_practice)} in a practice"
    return "drawn in secret" if setting.name == "seed" else text


def _value(value: Any) -> str:
    return f"`{json.dumps(value)}`" if value != "" else "empty"
