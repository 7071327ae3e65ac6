"""A round's limits on the command line: a preset's name or a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kakurenbo.main import UsageError
from scoring.presets import PWSCUP2016
from scoring.registry import MEASURES
from scoring.rules import Limit

PRESETS = {"pwscup2016": PWSCUP2016}


def read_limits(text: str | None) -> tuple[Limit, ...]:
    """The limits of a preset, or of a JSON or YAML file that maps measures to upper limits.

    The file may also have the form that a round has: ``limits`` as a mapping, or as a list of measure,
    operator and limit, of which only upper limits are used here.

    >>> [limit.measure for limit in read_limits("pwscup2016")][:2]
    ['ut-jaccard', 'subset']
    """
    if text is None:
        return ()
    if text in PRESETS:
        return PRESETS[text]
    values = _parsed(Path(text))
    known = {measure.name for measure in MEASURES}
    limits = []
    for name, value in values.items():
        if name not in known:
            raise UsageError(f"{text}: got measure {name!r}, expected one of {', '.join(sorted(known))}.")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"{text}, {name}: got {value!r}, expected a number.")
        limits.append(Limit(name, "<=", float(value)))
    return tuple(limits)


def _parsed(path: Path) -> Mapping[str, Any]:
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        presets = ", ".join(PRESETS)
        raise UsageError(f"Cannot read the limits {path}: {error.strerror}. Presets: {presets}.") from error
    try:
        values = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (json.JSONDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path} is not readable as JSON or YAML: {error}.") from error
    if isinstance(values, dict) and "limits" in values:
        values = values["limits"]
    if isinstance(values, list) and all(isinstance(line, dict) for line in values):
        values = {line.get("measure"): line.get("limit") for line in values if line.get("operator") != ">="}
    if not isinstance(values, dict):
        raise UsageError(f"{path}: got {type(values).__name__}, expected a mapping of measures to limits.")
    return values


def upper_limits(limits: tuple[Limit, ...]) -> dict[str, float]:
    """What anonymizers take: the upper limits by measure."""
    return {limit.measure: limit.limit for limit in limits if limit.operator == "<="}
