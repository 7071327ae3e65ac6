"""``kakurenbo risk``: how exposed are the people in a table?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from kakurenbo.main import UsageError
from kakurenbo.panel_columns import add_panel_columns, panel_columns
from kakurenbo.risk_report import add_report_arguments, run_report
from scoring.measure import Measurement, RiskMeasure
from scoring.registry import PANEL_RISKS, risk

OPTIONS = ("sensitive", "group", "attribute")
SEVERAL = ("sensitive", "group")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="`report`, or a measure, see `kakurenbo list risks`")
    parser.add_argument("table", type=Path, metavar="TABLE", help="CSV file with a header")
    parser.add_argument("--id", required=True, metavar="COL", help="the column that identifies people")
    parser.add_argument("--qid", "--qi", default="", metavar="COL,COL", help="the quasi-identifier columns")
    parser.add_argument("--sensitive", metavar="COL[,COL]", help="sensitive columns, where needed")
    parser.add_argument("--group", metavar="COL[,COL]", help="columns that name the groups (ane)")
    parser.add_argument("--attribute", metavar="COL", help="the attribute split (balance-variance-ratio)")
    add_panel_columns(parser)
    parser.add_argument("--train", type=float, metavar="SHARE", help="learn from the first periods (lp)")
    parser.add_argument("--history", type=Path, metavar="FILE", help="learn from this true table (lp)")
    parser.add_argument(
        "--variables", metavar="V,V", help="predict from response, price, promotions or some of them (lp)"
    )
    parser.add_argument("--distinct", action="store_true", help="a period's subjects differ (lp)")
    parser.add_argument("--intercept", action="store_true", help="give the model intercepts (lp)")
    add_report_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.name == "report":
        return run_report(arguments, read_table(arguments.table))
    try:
        measure = risk(arguments.name)
    except KeyError as error:
        raise UsageError(error.args[0]) from error
    qid = [name for name in arguments.qid.split(",") if name]
    if not qid and not measure.qid_optional:
        raise UsageError(f"{measure.name} needs quasi-identifiers: --qid COL,COL.")
    in_panel = measure in PANEL_RISKS
    options = _panel_options(arguments, measure) if in_panel else _options(arguments, measure)
    try:
        result = measure.function(read_table(arguments.table), arguments.id, qid, **options)
    except ValueError as error:
        raise UsageError(str(error)) from error
    print(_as_json(measure, result) if arguments.json else _as_text(measure, result))
    return 0


def _panel_options(arguments: argparse.Namespace, measure: RiskMeasure) -> dict[str, Any]:
    """The options of a risk in a panel: the columns of its roles, and how the intruder learns."""
    options: dict[str, Any] = {k: v for k, v in panel_columns(arguments).items() if k != "id"}
    for name in measure.needs:
        if name not in options:
            raise UsageError(f"{measure.name} needs --{name} COL.")
    options |= {"distinct": arguments.distinct, "intercept": arguments.intercept, "train": arguments.train}
    if arguments.variables:
        options["variables"] = arguments.variables.split(",")
    if arguments.history:
        options["history"] = read_table(arguments.history)
    return options


def _options(arguments: argparse.Namespace, measure: RiskMeasure) -> dict[str, Any]:
    """The options that the measure takes, from the words of the call."""
    accepted = set(measure.needs) | ({"attribute"} if measure.name == "balance-variance-ratio" else set())
    options: dict[str, Any] = {}
    for name in OPTIONS:
        given = getattr(arguments, name)
        if given is None:
            if name in measure.needs:
                raise UsageError(f"{measure.name} needs --{name} COL.")
        elif name not in accepted:
            raise UsageError(f"{measure.name} takes no --{name}.")
        else:
            columns = given.split(",")
            options[name] = columns if len(columns) > 1 and name in SEVERAL else given
    return options


def read_table(path: Path) -> pd.DataFrame:
    """A CSV file with a header, or a sentence saying why it cannot be used."""
    try:
        return pd.read_csv(path)
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not a CSV file with a header: {error}") from error


def _as_json(measure: RiskMeasure, result: Measurement) -> str:
    document = {
        "risk": measure.name,
        "version": measure.version,
        "value": result.value,
        "detail": result.detail,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _as_text(measure: RiskMeasure, result: Measurement) -> str:
    lines = [f"{measure.title}: {result.value:.6g} ({measure.better} is better)"]
    for name, value in result.detail.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{name.replace('_', ' ')}:")
            lines += [f"  {_line(entry)}" for entry in value]
        else:
            lines.append(f"{name.replace('_', ' ')}: {value}")
    return "\n".join(lines)


def _line(entry: dict[str, Any]) -> str:
    parts = []
    for name, value in entry.items():
        if isinstance(value, dict):
            value = ", ".join(f"{key}={part}" for key, part in value.items()) or "all"
        parts.append(f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}")
    return "; ".join(parts)
