"""Settings before and after a change, in the reader's words."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils import dateformat
from django.utils.translation import gettext as _

from contest.declarations.contest import CONTEST
from contest.declarations.round import ROUND
from contest.errors import Refused
from contest.language.game_words import label_of
from contest.language.translation import say
from contest.models import Round
from contest.play.packages import declaration_of
from datasets.setting import Setting
from games.formats.rules import RULES
from games.loading import NoGame

LONGEST = 60
"""A text that is longer is said to be another one, without its words."""

Values = Mapping[str, Any]


def of_contest(before: Values, after: Values) -> list[str]:
    """What changed about a contest: a label with its value before and after, per setting."""
    return _changed(CONTEST, before, after)


def of_round(round_: Round, before: Values, after: Values) -> list[str]:
    """What changed about a round, as far as everybody may know it: its seed is for organisers alone."""
    found = _changed(ROUND, before, after, round_.contest.zone)
    found += _changed(RULES, before.get("file_rules", {}), after.get("file_rules", {}))
    return found + _changed(_parameters(round_), before.get("params", {}), after.get("params", {}))


def _parameters(round_: Round) -> tuple[Setting, ...]:
    """What the game of a round declares; nothing where the site has it no more, or in another version."""
    if round_.game is None:
        return ()
    try:
        return tuple(declaration_of(round_.game).parameters)
    except (NoGame, Refused):
        return ()


def _changed(
    declared: Iterable[Setting], before: Values, after: Values, zone: datetime.tzinfo = datetime.UTC
) -> list[str]:
    public = (setting for setting in declared if setting.visible_to == "everybody" and setting.name in after)
    return [
        _change(setting, before.get(setting.name), after[setting.name], zone)
        for setting in public
        if before.get(setting.name) != after[setting.name]
    ]


def _change(setting: Setting, before: Any, after: Any, zone: datetime.tzinfo) -> str:
    label = _(label_of(setting))
    texts = [_words(setting, value, zone) for value in (before, after)]
    if max(map(len, texts)) > LONGEST:
        return _("%(setting)s: another text") % {"setting": label}
    return f"{label}: {texts[0]} → {texts[1]}"


def _words(setting: Setting, value: Any, zone: datetime.tzinfo) -> str:
    if value is None or value == "":
        return "–"
    if setting.kind == "moment":
        return dateformat.format(datetime.datetime.fromisoformat(value).astimezone(zone), "Y-m-d H:i T")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    labels = dict(setting.choices)
    if value in labels:
        return str(say(labels[value]))
    if isinstance(value, int | float):
        return f"{value / setting.shown_in:.10g}"
    return str(value)
