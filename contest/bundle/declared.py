"""The settings of contests and rounds with all choices that there are; read from a bundle and written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from contest.board.ranking import RANKINGS
from contest.declarations import round as rounds
from contest.declarations.contest import CONTEST
from datasets.setting import NOTHING, Setting


def _with_choices(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Rankings are a registry of the boards, which is unknown to the models and so to the declarations."""
    rankings = tuple((rule.name, rule.title) for rule in RANKINGS)
    return tuple(
        dataclasses.replace(it, choices=rankings) if it.registry == "ranking" else it for it in settings
    )


PLAIN = _with_choices(rounds.PLAIN)
ROUND = _with_choices(rounds.ROUND)
CONTEST_NAMED = ("slug", "title", "summary", "time_zone")
"""What every bundle says about a contest."""
CONTEST_PLAIN = tuple(it for it in CONTEST if it.name not in CONTEST_NAMED)
CONTEST_DEFAULTS: Mapping[str, Any] = {it.name: it.default for it in CONTEST_PLAIN}


def read(settings: Iterable[Setting], given: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The settings in a checked bundle by their names, those that it lacks as ``usual``."""
    settings = tuple(settings)
    found = read_given(settings, given)
    return {it.name: found.get(it.name, usual[it.name]) for it in settings}


def read_given(settings: Iterable[Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings that a checked bundle names."""
    nodes = ((setting, node_at(given, setting.place)) for setting in settings)
    return {setting.name: setting.checked(node) for setting, node in nodes if node is not NOTHING}


def node_at(given: Any, place: tuple[str, ...]) -> Any:
    """What a bundle has under these keys; `NOTHING` where it lacks one of them."""
    for key in place:
        given = given[key] if isinstance(given, Mapping) and key in given else NOTHING
    return given


def written(settings: Iterable[Setting], values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a bundle writes them, in their declared order."""
    content: dict[str, Any] = {}
    for setting in settings:
        *groups, last = setting.place
        node = content
        for group in groups:
            node = node.setdefault(group, {})
        node[last] = values[setting.name]
    return content
