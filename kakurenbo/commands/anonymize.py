"""``kakurenbo anonymize``: make an entry from an original with a house method."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import Any

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import expectation
from anonymizers.release import CannotProtect
from anonymizers.table_method import TableMethod
from anonymizers.table_registry import TABLE_METHODS
from datasets.problems import BadFiles
from datasets.seeds import secret_seed
from games.formats.commands.entries import people_in_words, read_original, report_lines, write_release
from games.formats.commands.methods import METHODS, Anonymized, Anonymizer
from games.formats.limits import judged, share_left, upper_limits
from games.formats.measures import measure
from games.formats.methods import run_anonymizer
from kakurenbo.anonymize_table import add_table_arguments, anonymize_table
from kakurenbo.limits import PRESETS, read_limits
from kakurenbo.main import UsageError
from kakurenbo.output import require_new_folder, whole_folder
from scoring.rules import Limit
from scoring.run import measure_release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _methods_and_parameters()
    names = dict.fromkeys([m.name for m in METHODS] + [m.name for m in TABLE_METHODS])
    parser.add_argument("method", choices=list(names), metavar="METHOD", help="see below")
    parser.add_argument("--original", type=Path, metavar="DIR", help="folder of M.csv, T.csv")
    add_table_arguments(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="new folder, or file of a table"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="same seed, same bytes (default: drawn; the report names it)"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings", help="a parameter"
    )
    presets = ", ".join(PRESETS)
    parser.add_argument("--limits", metavar="FILE", help=f"JSON or YAML of limits by measure, or {presets}")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.seed is None:
        # Who knows the seed of an entry can make it again, and then knows who is who.
        arguments.seed = secret_seed()
    if arguments.seed < 0:
        raise UsageError(f"--seed: got {arguments.seed}, expected a natural number.")
    if (arguments.original is None) == (arguments.table is None):
        raise UsageError("Give either --original DIR (M.csv and T.csv) or --table FILE.")
    if arguments.table is not None:
        return anonymize_table(arguments, parsed_settings(arguments.settings))
    if arguments.method not in [method.name for method in METHODS]:
        raise UsageError(f"{arguments.method} works on a table. Expected --table FILE instead of --original.")
    limits = read_limits(arguments.limits)
    require_new_folder(arguments.out)
    original = read_folder(arguments.original)
    _say(f"{arguments.method} on {people_in_words(original)} …")
    _watch()
    try:
        settings = parsed_settings(arguments.settings)
        done = run_anonymizer(arguments.method, original, upper_limits(limits), arguments.seed, settings)
    except (ParameterError, CannotProtect) as error:
        raise UsageError(str(error)) from error
    write_whole(arguments.out, done.release)
    report, valid = full_report(original, done, limits)
    report["out"] = str(arguments.out)
    print(json.dumps(report, indent=2, ensure_ascii=False) if arguments.json else as_text(report))
    return 0 if valid else 1


def read_folder(folder: Path) -> Any:
    """The original in a folder, or a sentence saying why it cannot be used."""
    try:
        return read_original(folder)
    except BadFiles as error:
        first = error.verdict.problems[0]
        raise UsageError(f"The original in {folder} is not valid. First problem: {first}") from error
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error


def parsed_settings(texts: list[str]) -> dict[str, str]:
    """``name=value`` texts as a mapping."""
    settings = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--set: got {text!r}, expected NAME=VALUE, for example share=0.2.")
        settings[name.strip()] = value.strip()
    return settings


def write_whole(out: Path, release: Any) -> None:
    """Write the entry's folder so that it appears with all its files or not at all."""
    with whole_folder(out) as draft:
        write_release(draft, release)


def full_report(original: Any, done: Anonymized, limits: tuple[Limit, ...]) -> tuple[dict[str, Any], bool]:
    """The method's report with every limited measure beside its limit; and whether all limits hold."""
    measures = [measure(limit.measure) for limit in limits]
    results = measure_release(
        original,
        done.release,
        measures,
        lambda _done, _all, now: _say(f"measuring {now.name} …") if now else None,
    )
    verdict = judged(results, limits)
    report = dict(done.report)
    report["measures"] = {
        limit.measure: {
            "value": results[limit.measure].value,
            "operator": limit.operator,
            "limit": limit.limit,
        }
        for limit in limits
    }
    report["binding"] = [
        limit.measure for limit in limits if share_left(limit, results[limit.measure].value) < 0.05
    ]
    report["valid"] = verdict.valid
    report["because"] = [str(reason) for reason in verdict.because]
    return report, verdict.valid


def as_text(report: dict[str, Any]) -> str:
    """The report for people: what was changed, the expected risk, which limits bind."""
    lines = [
        f"{report['out']}: {report['rows']} rows by {report['method']}, seed {report['seed']}",
        f"  changed: {report['changed']}",
        *report_lines(report),
    ]
    for name, row in report["measures"].items():
        mark = "binds" if name in report["binding"] else ""
        bound = f"{row['operator']} {row['limit']:<10.6g}"
        lines.append(f"  {name:<12}{row['value']:>14.6g}  limit {bound} {mark}".rstrip())
    return "\n".join([*lines, *(f"  breaks a limit: {reason}" for reason in report["because"])])


def _methods_and_parameters() -> str:
    lines = ["methods and their parameters:"]
    methods: tuple[Anonymizer | TableMethod, ...] = (*METHODS, *TABLE_METHODS)
    for method in methods:
        kind = " (--table)" if method in TABLE_METHODS else ""
        lines.append(f"  {method.name}{kind}: {method.meaning}")
        for parameter in method.parameters:
            default = f"{parameter.default}".lower() if parameter.kind == "bool" else parameter.default
            lines.append(f"      {parameter.name}={default}  {parameter.meaning} ({expectation(parameter)})")
    return "\n".join(lines)


def _watch() -> None:
    """Show what a long search reports about itself, where somebody watches."""
    if sys.stderr.isatty():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("  %(message)s"))
        for package in ("anonymizers", "games"):
            logging.getLogger(package).addHandler(handler)
            logging.getLogger(package).setLevel(logging.INFO)


def _say(text: str) -> None:
    """Report progress, where somebody watches."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr)
