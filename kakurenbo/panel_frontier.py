"""``kakurenbo frontier --response``: κ and seven benchmark protections of a panel on one map."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from anonymizers.anonymizer import ParameterError
from anonymizers.release import CannotProtect
from kakurenbo.commands.risk import read_table
from kakurenbo.main import UsageError
from kakurenbo.output import write_text
from kakurenbo.panel_columns import add_panel_columns, panel_columns
from kakurenbo.pos_frontier import KAPPAS, Protected, as_csv, as_document, as_svg, compare, trace_svg
from scoring.store_panel.scanpro import Effects


def add_panel_frontier(parser: argparse.ArgumentParser) -> None:
    """What the comparison of κ with its benchmarks takes beyond the table, its id and the files to write."""
    add_panel_columns(parser)
    kappas = ",".join(f"{kappa:g}" for kappa in KAPPAS)
    parser.add_argument("--kappas", default=kappas, metavar="K,K", help=f"values of κ (default: {kappas})")
    parser.add_argument("--round", type=float, default=100.0, metavar="N", help="rounding (default: 100)")
    parser.add_argument("--intercept", action="store_true", help="give the intruder's model intercepts")
    parser.add_argument("--distinct", action="store_true", help="the intruder knows a period's stores differ")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same numbers")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="draw the chains of the first brand as SVG"
    )


def run_panel_frontier(arguments: argparse.Namespace) -> int:
    """Protect the panel in every way, measure, print, write."""
    if not arguments.price:
        raise UsageError("frontier of a panel needs --price COL.")
    columns, table = panel_columns(arguments), read_table(arguments.table)
    rows: list[Protected] = []
    try:
        for row in compare(
            table, columns, arguments.seed, _kappas(arguments.kappas), step=arguments.round,
            intercept=arguments.intercept, distinct=arguments.distinct,
        ):  # fmt: skip
            rows.append(row)
            if sys.stderr.isatty():
                print(f"{row.name} …", file=sys.stderr)
    except (ParameterError, CannotProtect, ValueError) as error:
        raise UsageError(str(error)) from error
    for path, made in ((arguments.csv, as_csv), (arguments.svg, as_svg), (arguments.trace, _trace)):
        if path is not None:
            write_text(path, made(rows))
    print(json.dumps(as_document(rows), indent=2, ensure_ascii=False) if arguments.json else as_text(rows))
    return 0


def as_text(rows: Sequence[Protected]) -> str:
    """Table 5 (risk and loss), then Tables 2, 3 and 4 by brand."""
    true = rows[0].effects
    lines = [
        f"{'':14}{'MLP':>8}{'ALP':>8}{'found':>8}{'MAPD β':>9}{'MSE β':>9}{'MAPD γ':>9}{'MSE γ':>9}{'R²':>8}"
    ]
    for row in rows:
        loss = row.loss
        lines.append(
            f"{row.name:14}{row.mlp:8.3f}{row.alp:8.3f}{row.found:8.1%}{loss.mapd_beta:9.3f}{loss.mse_beta:9.3f}"
            f"{loss.mapd_gamma:9.3f}{loss.mse_gamma:9.3f}{row.effects.adjusted_r2.mean():8.3f}"
        )
    tables: list[tuple[str, Callable[[Protected], list[str]]]] = [
        ("price elasticity", lambda row: [f"{beta:.2f}" for beta in row.effects.elasticity]),
        (
            "optimal mark-up, % (NM: not meaningful)",
            lambda row: [_percent(value, ".1f", "NM") for value in row.markups()],
        ),
        (
            "profit, % of the optimum (NA: not available)",
            lambda row: [_percent(value, ".2f", "NA") for value in row.profits(true)],
        ),
    ]
    tables += [(f"multiplier of {name}", _multipliers(place)) for place, name in enumerate(true.promotions)]
    for title, cells in tables:
        lines += ["", title, *_by_brand(rows, true, cells)]
    return "\n".join(lines)


def _percent(value: float | None, form: str, missing: str) -> str:
    return missing if value is None else f"{100 * value:{form}}"


def _multipliers(place: int) -> Callable[[Protected], list[str]]:
    return lambda row: [f"{value:.3g}" for value in row.effects.multiplier[:, place]]


def _by_brand(rows: Sequence[Protected], true: Effects, cells: Callable[[Protected], list[str]]) -> list[str]:
    heads = "".join(f"{brand[:11]:>12}" for brand in true.brands)
    return [f"{'':14}{heads}"] + [
        f"{row.name:14}" + "".join(f"{cell:>12}" for cell in cells(row)) for row in rows
    ]


def _trace(rows: Sequence[Protected]) -> str:
    for row in rows:
        if row.method == "bayes-synthetic":
            return trace_svg(row.report, row.effects.brands[0])
    raise UsageError("--trace: there is no κ to trace. Name one with --kappas.")


def _kappas(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part]
    except ValueError as error:
        raise UsageError(f"--kappas: got {text!r}, expected numbers, for example 0.1,1,15.") from error
