"""A bundle as text, always in the same form: equal bundles give equal texts."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from contest.bundle.declared import CONTEST_NAMED, PLAIN, written
from contest.bundle.specification import Bundle, DataSpec, GameSpec, RoundSpec
from contest.declarations.contest import CONTEST
from games.formats import Format, find_format
from games.formats.rules import RULES
from scoring.rules import Limit

VERSION, VERSION_WITH_GAMES = 1, 2
"""A bundle without games is written as version 0.1 read it."""
FIRST = ("weight", "hidden")
"""The settings of a round that are written before its data."""


def bundle_text(bundle: Bundle) -> str:
    """The bundle as YAML, its times in its own zone with their offsets."""
    formats = {data.name: find_format(data.format) for data in bundle.data}
    named = {name: getattr(bundle, name) for name in CONTEST_NAMED}
    zone = ZoneInfo(bundle.time_zone)
    settings = {
        name: _time(value, zone) if isinstance(value, datetime.datetime) else value
        for name, value in bundle.settings.items()
    }
    has_games = any(round_.game for round_ in bundle.rounds)
    content = {
        "kakurenbo": VERSION_WITH_GAMES if has_games else VERSION,
        "slug": bundle.slug,
        **written(CONTEST, {**settings, **named}),
        **({"data": {data.name: _data(data) for data in bundle.data}} if bundle.data else {}),
        "rounds": [_round(round_, zone, formats.get(round_.data)) for round_ in bundle.rounds],
    }
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def _data(data: DataSpec) -> dict[str, Any]:
    source = {kind: dict(sorted(settings.items())) for kind, settings in data.source.items()}
    return {"description": data.description, "format": data.format, **source}


def _played_on(round_: RoundSpec, format: Format | None) -> dict[str, Any]:
    """What a round is played on: a data set with its rules and limits, or a game."""
    if round_.game is not None:
        return {"game": _game(round_.game)}
    assert format is not None, round_.slug
    rules = [rule for rule in RULES if rule.name in format.rules]
    return {
        "rules": written(rules, dataclasses.asdict(round_.rules)),
        "limits": [_limit(limit) for limit in round_.limits],
    }


def _game(game: GameSpec) -> dict[str, Any]:
    source = {"zip": {"name": game.file, "sha256": game.sha256}} if game.file else {"name": game.name}
    rule = {"rule": game.rule} if game.rule else {}
    parameters = {"parameters": dict(sorted(game.parameters.items()))} if game.parameters else {}
    files = {"files": {name: dict(file) for name, file in sorted(game.files.items())}} if game.files else {}
    samples = {"samples": True} if game.samples else {}
    return {**source, **rule, **parameters, **files, **samples}


def _round(round_: RoundSpec, zone: ZoneInfo, format: Format | None) -> dict[str, Any]:
    settings = written(PLAIN, {name: _value(value, zone) for name, value in round_.settings.items()})
    if round_.game is not None:
        settings.pop("ranking")
    return {
        "slug": round_.slug,
        "name": round_.name,
        **{key: settings.pop(key) for key in FIRST},
        **({"data": round_.data} if round_.data else {}),
        **({} if round_.seed is None else {"seed": round_.seed}),
        "phases": {
            phase.kind: {"from": _time(phase.starts_at, zone), "until": _time(phase.ends_at, zone)}
            for phase in round_.phases
        },
        **_played_on(round_, format),
        "attacks": list(round_.attacks),
        "baselines": [
            {
                "method": baseline.method,
                "parameters": dict(sorted(baseline.parameters.items())),
                **({} if baseline.seed is None else {"seed": baseline.seed}),
            }
            for baseline in round_.baselines
        ],
        **settings,
    }


def _limit(limit: Limit) -> dict[str, Any]:
    return {"measure": limit.measure, "at-most" if limit.operator == "<=" else "at-least": limit.limit}


def _value(value: Any, zone: ZoneInfo) -> Any:
    return _time(value, zone) if isinstance(value, datetime.datetime) else value


def _time(moment: datetime.datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).isoformat()


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe dumper without shorthands; longer texts as blocks, times without quotes."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
