"""``kakurenbo frontier``: risk and loss of gh-tree and its peers on any table, compared at equal risk.

With ``--response`` the table is a panel of stores, and κ and its benchmarks are compared instead."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from anonymizers.engines.gh_tree.coding import Units, code_table
from anonymizers.release import CannotProtect
from kakurenbo.commands.risk import read_table
from kakurenbo.main import UsageError
from kakurenbo.output import write_text
from kakurenbo.panel_frontier import add_panel_frontier, run_panel_frontier
from kakurenbo.risk_loss import METHODS, TARGETS, as_csv, as_svg, as_text, least_loss, sweep


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="TABLE", help="CSV file with a header")
    parser.add_argument("--id", required=True, metavar="COL", help="the column that identifies people")
    parser.add_argument("--qid", "--qi", default="", metavar="COL,COL", help="the quasi-identifiers")
    parser.add_argument("--sensitive", default="", metavar="COL[,COL]", help="the sensitive columns")
    parser.add_argument(
        "--methods", default=",".join(METHODS), metavar="A,B", help=f"which of {', '.join(METHODS)}"
    )
    parser.add_argument("--h", default="1", metavar="H,H", help="values of h* for gh-tree (default: 1)")
    parser.add_argument(
        "--steps", type=int, default=40, metavar="N", help="thresholds per method (default: 40)"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every run as CSV")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw the risk-loss curves as SVG")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    add_panel_frontier(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.response:
        return run_panel_frontier(arguments)
    if not arguments.qid:
        raise UsageError("Give --qid COL,COL, or --response COL for a panel of stores.")
    methods = _names(arguments.methods)
    for name in methods:
        if name not in METHODS:
            raise UsageError(f"--methods: got {name!r}, expected some of {', '.join(METHODS)}.")
    if arguments.steps < 2:
        raise UsageError(f"--steps: got {arguments.steps}, expected at least 2.")
    units = _units(arguments)
    points = list(sweep(units, methods, _limits(arguments.h), arguments.steps))
    if not points:
        raise UsageError("No run was possible: the whole table as one group already breaks every h given.")
    if arguments.csv:
        write_text(arguments.csv, as_csv(points))
    if arguments.svg:
        write_text(arguments.svg, as_svg(points, f"Risk and loss on {arguments.table.name}"))
    if not arguments.json:
        print(as_text(points))
        return 0
    rows = []
    for target in TARGETS:
        best = {name: least_loss(points, name, target) for name in methods}
        rows.append({"MaxGIDR": target} | {name: asdict(p) if p else None for name, p in best.items()})
    print(json.dumps({"runs": len(points), "at_equal_risk": rows}, indent=2))
    return 0


def _units(arguments: argparse.Namespace) -> Units:
    table = read_table(arguments.table)
    named = [arguments.id, *_names(arguments.qid), *_names(arguments.sensitive)]
    for name in named:
        if name not in table.columns:
            raise UsageError(
                f"{arguments.table} has no column {name!r}. It has: {', '.join(map(str, table.columns))}."
            )
    if table.empty:
        raise UsageError(f"{arguments.table} has no records. Expected at least one.")
    try:
        return code_table(table, arguments.id, _names(arguments.qid), _names(arguments.sensitive))
    except CannotProtect as error:
        raise UsageError(str(error)) from error


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _limits(text: str) -> list[float]:
    try:
        limits = [float(part) for part in _names(text)]
    except ValueError:
        limits = []
    if not limits or not all(0 < limit <= 1 for limit in limits):
        raise UsageError(f"--h: got {text!r}, expected numbers above 0 and up to 1, as 1,0.5,0.2.")
    return limits
