"""``kakurenbo score``: how useful is an entry still, and is it within the limits?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from datasets.lookup import find_by_name
from datasets.problems import BadFiles, Verdict
from games.formats.commands.presets import DEFAULT_PRESET, PRESETS, Preset
from games.formats.limits import judged
from games.formats.rules import FileRules
from kakurenbo.commands.check import open_entry
from kakurenbo.limits import read_round
from kakurenbo.main import UsageError
from scoring.measure import Measure, Measurement
from scoring.registry import plain_name
from scoring.rules import Limit, RoundVerdict
from scoring.run import measure_pair


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--original", type=Path, required=True, metavar="DIR", help="folder of the original")
    parser.add_argument("--entry", type=Path, required=True, metavar="DIR", help="folder or zip of the entry")
    parser.add_argument(
        "--measure", action="append", metavar="NAME", help="measure this (repeatable; default: the preset's)"
    )
    parser.add_argument(
        "--limits",
        type=Path,
        metavar="FILE",
        help="JSON or YAML: {measure: limit, …}, or {limits: {…}, file_rules: {…}} as a round has them",
    )
    parser.add_argument(
        "--preset", choices=sorted(PRESETS), default=DEFAULT_PRESET, help="whose files and rules"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    preset = PRESETS[arguments.preset]
    limits, rules = _round_of(preset, arguments.limits)
    names = arguments.measure or list(dict.fromkeys([*preset.default, *(limit.measure for limit in limits)]))
    measures = [_measure(preset, name) for name in names]
    wanted = {measure.name for measure in measures}
    limits = [limit for limit in limits if limit.measure in wanted]
    try:
        verdict, results = _score(preset, arguments.original, arguments.entry, measures, rules)
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    outcome = judged(results, limits) if verdict.ok else RoundVerdict(False, (), 0.0)
    if arguments.json:
        print(_as_json(verdict, results, limits, outcome))
    else:
        print(_as_text(verdict, results, measures, limits, outcome))
    return 0 if outcome.valid else 1


def _measure(preset: Preset, name: str) -> Measure:
    try:
        return find_by_name(preset.measures, plain_name(name), "measure")
    except KeyError as error:
        raise UsageError(error.args[0]) from error


def _score(
    preset: Preset, folder: Path, entry: Path, measures: Sequence[Measure], rules: FileRules
) -> tuple[Verdict, dict[str, Measurement]]:
    try:
        original = preset.format.read_original(folder)
    except BadFiles as error:
        first = error.verdict.problems[0]
        raise UsageError(f"The original in {folder} is not valid. First problem: {first}") from error
    with ExitStack() as stack:
        try:
            spec = preset.format
            files = open_entry(entry, spec.upload_names, stack, spec.upload_aliases)
        except BadFiles as error:
            return error.verdict, {}
        checked = preset.format.check_upload(files, original, rules)
    neutral = checked.neutral
    if neutral is None:
        return checked.verdict, {}
    options = {"ut-jaccard": {"vanished": rules.vanished}}
    pair = preset.format.measured(original, neutral.released, neutral.truth)
    results = measure_pair(*pair, measures, _progress(), options)
    return checked.verdict, results


def _progress() -> Callable[[int, int, Measure | None], None] | None:
    """A bar on the terminal; nothing where the output goes into a file or a pipe."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int, current: Measure | None) -> None:
        bar = "█" * (20 * done // max(total, 1))
        text = f"\r{bar:░<20} {done}/{total} {current.name if current else ''}"
        print(f"{text:<60}", end="" if current else "\r\033[K", file=sys.stderr, flush=True)

    return show


def _round_of(preset: Preset, path: Path | None) -> tuple[Sequence[Limit], FileRules]:
    """The limits and file rules in force: the preset's, or those of a file."""
    limits, rules = (preset.limits, {}) if path is None else read_round(path)
    return limits, FileRules(**{"max_bytes": sys.maxsize, **rules})


def _as_json(
    verdict: Verdict, results: Mapping[str, Measurement], limits: Sequence[Limit], outcome: RoundVerdict
) -> str:
    problems: list[dict[str, Any]] = [problem.as_dict() for problem in verdict.problems]
    problems += [{"code": "limit", "text": str(reason)} for reason in outcome.because]
    document = {
        "measures": {
            name: {"value": result.value, "detail": result.detail} for name, result in results.items()
        },
        "limits": [
            {"measure": limit.measure, "operator": limit.operator, "limit": limit.limit} for limit in limits
        ],
        "utility_score": outcome.score if verdict.ok else None,
        "valid": outcome.valid,
        "problems": problems,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _as_text(
    verdict: Verdict,
    results: Mapping[str, Measurement],
    measures: Sequence[Measure],
    limits: Sequence[Limit],
    outcome: RoundVerdict,
) -> str:
    if not verdict.ok:
        lines = [str(problem) for problem in verdict.problems]
        more = verdict.total - len(lines)
        return "\n".join(
            [*lines, *([f"… and {more} more."] if more else []), "invalid: the files break the rules"]
        )
    by_name = {limit.measure: limit for limit in limits}
    lines = [f"{'measure':<16}{'value':>16}{'limit':>16}  verdict"]
    for measure in measures:
        value, limit = results[measure.name].value, by_name.get(measure.name)
        bound = f"{limit.operator} {limit.limit:.10g}" if limit else "-"
        word = "-" if limit is None else "ok" if limit.holds(value) else "broken"
        lines.append(f"{measure.name:<16}{value:>16.6f}{bound:>16}  {word:<8}{measure.unit}".rstrip())
    lines += ["", *map(str, outcome.because)]
    if limits:
        lines.append(f"utility score {outcome.score:.2f} of 100 (platform definition v1)")
    return "\n".join([*lines, "valid" if outcome.valid else "invalid"])
