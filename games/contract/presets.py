"""Presets: parameters, a rule and bounds of attempts with a name, as a file of a game, all in one shape.

name: strict            # else the name of the file
title: {en: Strict, ja: 厳格}
rule: standard
attempts: {day: 5, all: 50}   # answers of a team
parameters: {limit-age: 2}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from datasets.documents import Document
from datasets.setting import BadValue
from games.contract.declaration import Declaration, Text
from games.contract.reading import A_MAPPING, BadGame, read_record, require_known


@dataclass(frozen=True)
class Attempts:
    """How many answers a team may send; None where the preset says nothing."""

    day: int | None = None
    all: int | None = None


@dataclass(frozen=True)
class Preset:
    """What organisers choose by one name. ``rule`` may be empty: then it is the game's first."""

    name: str = ""
    title: Text = field(default_factory=dict)
    rule: str = ""
    attempts: Attempts = Attempts()
    parameters: Mapping[str, Any] = field(default_factory=dict)


def attempts_of(preset: Preset) -> dict[str, int]:
    """The bounds that a preset sets, by the names that settings of a round have."""
    bounds = {"attacks_per_day": preset.attempts.day, "attacks_in_total": preset.attempts.all}
    return {name: bound for name, bound in bounds.items() if bound is not None}


def read_presets(declared: Declaration, read: Callable[[str], str]) -> dict[str, Preset]:
    """The presets of a game that can be used, by name, in the order in which it lists them; ``read`` gives
    the text of a file of the game."""
    found: dict[str, Preset] = {}
    for file in declared.presets:
        try:
            preset = read_preset(read(file), file, declared)
        except (BadGame, OSError, KeyError):
            continue
        found.setdefault(preset.name, preset)
    return found


def read_preset(text: str, file: str, declared: Declaration) -> Preset:
    """A preset with legal values, or `BadGame` with everything that is wrong with it, each with its line."""
    name = PurePosixPath(file)
    document = Document(text, name.name, A_MAPPING())
    found: Preset | None = None if document.problems else read_record(document, Preset)
    if found is None or document.problems:
        raise BadGame(document.problems)
    if found.rule:
        require_known(found.rule, [rule.name for rule in declared.rules], "rule", ("rule",), document)
    settings = {setting.name: setting for setting in declared.parameters}
    for key, value in found.parameters.items():
        path = ("parameters", key)
        if key not in settings:
            require_known(str(key), settings, "parameter", path, document)
            continue
        try:
            settings[key].checked(value)
        except BadValue as bad:
            document.add(path, bad.code, bad.expected, value)
    if document.problems:
        raise BadGame(document.problems)
    return replace(found, name=found.name or name.stem)
