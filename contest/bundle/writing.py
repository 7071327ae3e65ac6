"""A bundle as text, always in the same form: what says the same is written the same."""

from __future__ import annotations

import datetime
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from contest.bundle.specification import Bundle, DataSpec, RoundSpec
from datasets.formats import Format, find_format
from scoring.rules import Limit

VERSION = 1


def bundle_text(bundle: Bundle) -> str:
    """The bundle as YAML, its times in its own zone with their offsets."""
    formats = {data.name: find_format(data.format) for data in bundle.data}
    content = {
        "kakurenbo": VERSION,
        "slug": bundle.slug,
        "title": bundle.title,
        "summary": bundle.summary,
        "description": bundle.description,
        "time-zone": bundle.time_zone,
        "public": bundle.is_public,
        "team-size": bundle.team_size,
        "approve-teams": bundle.approve_teams,
        "data": {data.name: _data(data) for data in bundle.data},
        "rounds": [
            _round(round_, ZoneInfo(bundle.time_zone), formats[round_.data]) for round_ in bundle.rounds
        ],
    }
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def _data(data: DataSpec) -> dict[str, Any]:
    source = {kind: dict(sorted(settings.items())) for kind, settings in data.source.items()}
    return {"description": data.description, "format": data.format, **source}


def _round(round_: RoundSpec, zone: ZoneInfo, format: Format) -> dict[str, Any]:
    return {
        "slug": round_.slug,
        "name": round_.name,
        "weight": round_.weight,
        "hidden": round_.hidden,
        "data": round_.data,
        **({} if round_.seed is None else {"seed": round_.seed}),
        "phases": {
            phase.kind: {"from": _time(phase.starts_at, zone), "until": _time(phase.ends_at, zone)}
            for phase in round_.phases
        },
        "rules": {name.replace("_", "-"): getattr(round_.rules, name) for name in format.rules},
        "limits": [_limit(limit) for limit in round_.limits],
        "attacks": list(round_.attacks),
        "baselines": [
            {
                "method": baseline.method,
                "parameters": dict(sorted(baseline.parameters.items())),
                **({} if baseline.seed is None else {"seed": baseline.seed}),
            }
            for baseline in round_.baselines
        ],
        "ranking": round_.ranking,
        "house-takes-places": round_.house_takes_places,
        "feedback": round_.feedback,
        "bands": round_.feedback_bands,
        "all-targets": round_.all_targets,
        "attempts": {
            "entries-per-day": round_.entries_per_day,
            "entries-in-total": round_.entries_in_total,
            "attacks-per-day": round_.attacks_per_day,
            "attacks-in-total": round_.attacks_in_total,
            "attacks-per-target": round_.attacks_per_target,
        },
        "programs": {"seconds": round_.program_seconds, "megabytes": round_.program_megabytes},
    }


def _limit(limit: Limit) -> dict[str, Any]:
    return {"measure": limit.measure, "at-most" if limit.operator == "<=" else "at-least": limit.limit}


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
