"""A round's limits on the command line: a preset's name, or a file with limits and file rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from datasets.setting import BadValue
from games.formats.commands.presets import DEFAULT_PRESET
from games.formats.commands.presets import PRESETS as CONTESTS
from games.formats.limits import checked_limits
from games.formats.measures import BY_FORMAT, measures_of
from games.formats.rules import checked_rules
from kakurenbo.main import UsageError
from scoring.rules import Limit

PRESETS = {name: contest.limits for name, contest in CONTESTS.items() if contest.limits}
LINE = {"measure", "operator", "limit"}


def read_limits(
    text: str | None, format_name: str = CONTESTS[DEFAULT_PRESET].format.name
) -> tuple[Limit, ...]:
    """The limits of a preset or of a file, on measures of this contest format.

    >>> [limit.measure for limit in read_limits(DEFAULT_PRESET)][:2]
    ['ut-jaccard', 'subset']
    """
    if text is None:
        return ()
    limits = PRESETS[text] if text in PRESETS else read_round(Path(text))[0]
    for limit in limits:
        _require_format(text, limit, format_name)
    return tuple(limits)


def _require_format(text: str, limit: Limit, format_name: str) -> None:
    """A measure of another format cannot be computed on these files."""
    known = [measure.name for measure in measures_of(format_name)]
    if limit.measure not in known:
        own = next(name for name in BY_FORMAT if limit.measure in [it.name for it in measures_of(name)])
        raise UsageError(
            f"{text}: got measure '{limit.measure}' of the format {own}, expected one of the format "
            f"{format_name}: {', '.join(known)}."
        )


def read_round(path: Path) -> tuple[tuple[Limit, ...], dict[str, Any]]:
    """The limits and the file rules of a JSON or YAML file.

    Limits are a mapping from measures to limits, or a list of measure, operator and limit. They are the
    whole file, or appear under ``limits`` beside ``file_rules``, as a round has them.
    """
    written = _parsed(path)
    rules: Any = {}
    if isinstance(written, Mapping) and "limits" in written:
        rules = written.get("file_rules") or {}
        written = written["limits"]
    if not isinstance(rules, Mapping):
        raise UsageError(f"{path}: expected file_rules to be a mapping.")
    try:
        return checked_limits(_lines(path, written)), checked_rules(rules)
    except BadValue as bad:
        raise UsageError(f"{path}, {bad.name}: {bad}.") from None
    except ValueError as error:
        raise UsageError(f"{path}: {error}.") from None


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


def _lines(path: Path, written: Any) -> list[Mapping[str, Any]]:
    """The limits as mappings of measure, operator and limit."""
    if isinstance(written, Mapping):
        written = [{"measure": name, "limit": value} for name, value in written.items()]
    if not isinstance(written, list) or not all(
        isinstance(line, Mapping) and LINE.issuperset(line) and {"measure", "limit"} <= line.keys()
        for line in written
    ):
        raise UsageError(f"{path}: expected {{measure: limit, …}} or a list of {{measure, operator, limit}}.")
    return written
