"""``kakurenbo masking``: what a masked table keeps of its original, in figures and pictures."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from kakurenbo.commands.risk import read_table
from kakurenbo.main import UsageError
from kakurenbo.masking_plots import masking_plots
from kakurenbo.output import write_text
from scoring.masking.combine import combine
from scoring.masking.relations import linear_regression
from scoring.masking.report import masking_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("original", type=Path, metavar="ORIGINAL", help="CSV file with a header")
    parser.add_argument("masked", type=Path, metavar="MASKED", help="the same rows, masked")
    parser.add_argument("--confidential", required=True, metavar="COL[,COL]", help="the masked columns")
    parser.add_argument("--given", default="", metavar="COL[,COL]", help="the columns left as they were")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw PP plots and curves as SVG")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    original, masked = read_table(arguments.original), read_table(arguments.masked)
    hidden, known = (_numeric(original, masked, text) for text in (arguments.confidential, arguments.given))
    copies = _copies(original, masked)
    report = masking_report(original, copies[0], hidden, known)
    if len(copies) > 1:
        report["copies"] = len(copies)
        report["combined"] = {name: _combined(copies, name, known) for name in hidden} if known else {}
    if arguments.svg:
        write_text(arguments.svg, masking_plots(original, copies[0], hidden, known))
    print(json.dumps(report, indent=2, ensure_ascii=False) if arguments.json else _told(report))
    return 0


def _numeric(original: pd.DataFrame, masked: pd.DataFrame, text: str) -> list[str]:
    """The named columns that hold numbers in both tables."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        for table, where in ((original, "original"), (masked, "masked")):
            if name not in table.columns:
                has = ", ".join(map(str, table.columns))
                raise UsageError(f"The {where} table has no column {name!r}. Its columns are: {has}.")
            if table[name].isna().any():
                raise UsageError(f"Column {name!r} of the {where} table has missing values.")
    return [name for name in names if pd.api.types.is_numeric_dtype(original[name])]


def _copies(original: pd.DataFrame, masked: pd.DataFrame) -> list[pd.DataFrame]:
    """The masked table, or its copies where it holds several."""
    if "copy" in masked.columns and "copy" not in original.columns:
        copies = [part.reset_index(drop=True) for _, part in masked.groupby("copy", sort=True)]
    else:
        copies = [masked]
    for part in copies:
        if len(part) != len(original):
            raise UsageError(f"The masked table has {len(part)} rows, the original {len(original)}.")
    return copies


def _combined(copies: list[pd.DataFrame], name: str, known: list[str]) -> dict[str, dict[str, float]]:
    """Linear regression of a column on the given ones, by the rule for partially synthetic data."""
    fits = [linear_regression(copy[name], copy[known]) for copy in copies]
    found = {}
    for term in fits[0].estimates:
        one = combine([fit.estimates[term] for fit in fits], [fit.errors[term] ** 2 for fit in fits])
        found[term] = {"estimate": one.estimate, "error": one.variance**0.5, "freedom": one.freedom}
    return found


def _told(report: dict[str, Any]) -> str:
    lines = []
    for name, column in report["columns"].items():
        lines.append(f"{name}: KS {column['ks']:.4f}, explained share {column['explained_share']:.6f}")
        shifts = {**column["moments"], **column["quantiles"]}
        lines.append("  " + ", ".join(f"{key} {value:+.4g}" for key, value in shifts.items()))
        for kind in ("linear", "poisson"):
            for term, both in column.get(kind, {}).items():
                lines.append(f"  {kind} {term}: {both['original']:.4g} became {both['masked']:.4g}")
        for term, fit in column.get("quadratic", {}).items():
            both = fit[f"{term}²"]
            lines.append(f"  quadratic {term}²: {both['original']:.4g} became {both['masked']:.4g}")
    for kind, worst in report["largest_correlation_change"].items():
        lines.append(f"largest {kind} change: {' and '.join(worst['pair'])} {worst['change']:+.4f}")
    return "\n".join(lines)
