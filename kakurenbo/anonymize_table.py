"""``kakurenbo anonymize METHOD --table FILE``: protect any table with a method for tables."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from anonymizers.table_method import TableMethod
from anonymizers.table_registry import TABLE_METHODS, run_table_method, table_method
from kakurenbo.commands.risk import read_table
from kakurenbo.main import UsageError
from kakurenbo.output import write_text


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """The file and one option for every role that some method knows."""
    parser.add_argument("--table", type=Path, metavar="FILE", help="any CSV file with a header, instead")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="table: JSON of weights by column")
    for role in roles():
        names = ["--qid", "--qi"] if role == "qid" else [f"--{role.replace('_', '-')}"]
        parser.add_argument(*names, metavar="COL[,COL]", dest=f"role_{role}", help=f"table: {role} columns")


def roles() -> list[str]:
    return list(dict.fromkeys(role for m in TABLE_METHODS for role in (*m.roles, *m.optional)))


def anonymize_table(arguments: argparse.Namespace, settings: dict[str, str]) -> int:
    """Read, protect, write whole or not at all, and report."""
    if arguments.out.exists():
        raise UsageError(f"--out: {arguments.out} exists. Choose a new file.")
    method = _method(arguments.method)
    columns: dict[str, list[str]] = {}
    for role in roles():
        given = getattr(arguments, f"role_{role}")
        if given is not None:
            columns[role] = [name.strip() for name in given.split(",") if name.strip()]
    if arguments.weights is not None:
        settings = settings | {"weights": _weights(arguments.weights)}
    table = read_table(arguments.table)
    try:
        done = run_table_method(method.name, table, columns, arguments.seed, settings)
    except (ParameterError, CannotProtect) as error:
        raise UsageError(str(error)) from error
    write_text(arguments.out, done.table.to_csv(index=False, lineterminator="\n"))
    report = dict(done.report) | {"out": str(arguments.out)}
    print(json.dumps(report, indent=2, ensure_ascii=False) if arguments.json else _told(report))
    return 0


def _weights(path: Path) -> str:
    """A JSON file of weights by column, as the text that a method's ``weights`` parameter takes."""
    try:
        weights = json.loads(path.read_text(encoding="utf-8"))
        return ",".join(f"{name}={float(weight)}" for name, weight in weights.items())
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error
    except (ValueError, AttributeError, TypeError) as error:
        raise UsageError(f'{path} must be a JSON object of numbers by column, like {{"week": 2}}.') from error


def _method(name: str) -> TableMethod:
    try:
        return table_method(name)
    except KeyError as error:
        raise UsageError(error.args[0]) from error


def _told(report: dict[str, Any]) -> str:
    """The plain figures of a report, one per line; lists and tables are for ``--json``."""
    lines = [f"{report['out']}: by {report['method']}, seed {report['seed']}"]
    for name, value in report.items():
        if isinstance(value, float):
            lines.append(f"  {name:<16}{value:.6g}")
        elif isinstance(value, int) and name not in ("seed", "version"):
            lines.append(f"  {name:<16}{value}")
    if report["method"].startswith("more-"):
        lines += [_told_column(name, column) for name, column in report["columns"].items()]
    return "\n".join([*lines, *(f"  note: {note}" for note in report.get("notes", ()))])


def _told_column(name: str, column: dict[str, Any]) -> str:
    """The result of a masked column's model: the expected distance is the closed-form risk."""
    fit = f"converged in {column['iterations']} iterations" if column["converged"] else "did not converge"
    share = f"{column['empd']:.4g}, {column['empd_share']:.0%} of that between independent values"
    return f"  {name}: expected distance {share}; {column['values']} values, {fit}"
