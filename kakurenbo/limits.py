"""A round's limits on the command line: a preset's name, or a file with limits and file rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from datasets.rules import FileRules
from kakurenbo.main import UsageError
from scoring.presets import PWSCUP2016
from scoring.registry import MEASURES
from scoring.rules import Limit

PRESETS = {"pwscup2016": PWSCUP2016}
LINE = {"measure", "operator", "limit"}


def read_limits(text: str | None) -> tuple[Limit, ...]:
    """The upper limits of a preset or of a file.

    >>> [limit.measure for limit in read_limits("pwscup2016")][:2]
    ['ut-jaccard', 'subset']
    """
    if text is None:
        return ()
    if text in PRESETS:
        return PRESETS[text]
    limits, _rules = read_round(Path(text))
    known = {measure.name for measure in MEASURES}
    for limit in limits:
        if limit.measure not in known:
            expected = f"expected one of {', '.join(sorted(known))}"
            raise UsageError(f"{text}: got measure {limit.measure!r}, {expected}.")
    return tuple(limit for limit in limits if limit.operator == "<=")


def read_round(path: Path) -> tuple[tuple[Limit, ...], dict[str, Any]]:
    """The limits and the file rules of a JSON or YAML file.

    Limits are a mapping from measures to upper limits, or a list of measure, operator and limit. They are the
    whole file, or stand under ``limits`` beside ``file_rules``, as a round has them.
    """
    written = _parsed(path)
    rules: Any = {}
    if isinstance(written, Mapping) and "limits" in written:
        rules = written.get("file_rules") or {}
        written = written["limits"]
    known = {field.name for field in fields(FileRules)}
    if not isinstance(rules, Mapping) or not known.issuperset(rules):
        raise UsageError(f"{path}: expected file_rules to be a mapping of {', '.join(sorted(known))}.")
    return tuple(_limits(path, written)), dict(rules)


def _parsed(path: Path) -> Any:
    import yaml

    try:
        # JSON is YAML too.
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        presets = ", ".join(PRESETS)
        raise UsageError(f"Cannot read the limits {path}: {error.strerror}. Presets: {presets}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is neither JSON nor YAML: {error}") from error


def _limits(path: Path, written: Any) -> Iterator[Limit]:
    if isinstance(written, Mapping):
        written = [{"measure": name, "limit": value} for name, value in written.items()]
    if not isinstance(written, list) or not all(
        isinstance(line, Mapping) and LINE.issuperset(line) and {"measure", "limit"} <= line.keys()
        for line in written
    ):
        raise UsageError(f"{path}: expected {{measure: limit, …}} or a list of {{measure, operator, limit}}.")
    for line in written:
        value = line["limit"]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UsageError(f"{path}, {line['measure']}: got {value!r}, expected a number.")
        try:
            yield Limit(str(line["measure"]), line.get("operator", "<="), float(value))
        except ValueError as error:
            raise UsageError(f"{path}: {error}") from error


def upper_limits(limits: tuple[Limit, ...]) -> dict[str, float]:
    """What anonymizers take: the upper limits by measure."""
    return {limit.measure: limit.limit for limit in limits if limit.operator == "<="}
