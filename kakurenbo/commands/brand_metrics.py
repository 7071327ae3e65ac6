"""``kakurenbo brand-metrics``: what brand managers read in a panel, and what protection does to it."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from kakurenbo.commands.risk import read_table
from kakurenbo.main import UsageError
from scoring.panel.brand_choice import BrandChoice, brand_choice, coefficient_mapd
from scoring.panel.brand_metrics import brand_metrics, equilibrium_markup, mapd
from scoring.panel.choice_data import choice_data

METRICS = {
    "market_share": "market share, %",
    "requirements": "category requirements, %",
    "switching": "switching, %",
    "sales": "sales, units",
    "markup": "optimal mark-up",
}

Described = dict[str, Any]
Mix = dict[str, list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="TABLE", help="CSV file with a header, one row per trip")
    parser.add_argument(
        "protected",
        type=Path,
        nargs="?",
        metavar="PROTECTED",
        help="the same panel, protected, to compare with",
    )
    parser.add_argument("--id", required=True, metavar="COL", help="the column that identifies people")
    parser.add_argument(
        "--brands", required=True, metavar="COL,COL", help="the columns of units, one per brand"
    )
    parser.add_argument(
        "--mix", action="append", default=[], metavar="NAME=COL,COL",
        help="a variable of the marketing mix, one column per brand: fits the brand choice model",
    )  # fmt: skip
    parser.add_argument("--price", metavar="NAME", help="the variable of the mix that is the price: mark-ups")
    parser.add_argument("--least", type=int, default=5, metavar="N", help="fewest trips per person (model)")
    parser.add_argument("--draws", type=int, default=4000, metavar="N", help="draws kept (model)")
    parser.add_argument("--burn-in", type=int, default=2000, metavar="N", help="draws left out (model)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same draws (default: 1)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.seed < 0:
        raise UsageError(f"--seed: got {arguments.seed}, expected a natural number.")
    brands, mix = _names(arguments.brands), _mix(arguments.mix)
    if arguments.price is not None and arguments.price not in mix:
        raise UsageError(f"--price: got {arguments.price!r}, expected a variable of --mix.")
    described, fitted = [], []
    for path in filter(None, (arguments.table, arguments.protected)):
        table = _panel(path, arguments.id, brands, mix)
        model = _model(table, arguments, brands, mix) if mix else None
        described.append(_described(table, arguments.id, brands, model, arguments.price))
        fitted.append(model)
    document: dict[str, Any] = {"brands": brands, "original": described[0]}
    if len(described) == 2:
        document |= {"protected": described[1], "mapd": _deviations(described, fitted, mix)}
    print(json.dumps(document, indent=2, ensure_ascii=False) if arguments.json else _as_text(document))
    return 0


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _mix(texts: list[str]) -> Mix:
    mix = {}
    for text in texts:
        name, equals, columns = text.partition("=")
        if not equals:
            raise UsageError(f"--mix: got {text!r}, expected NAME=COL,COL with one column per brand.")
        mix[name.strip()] = _names(columns)
    return mix


def _panel(path: Path, id: str, brands: list[str], mix: Mix) -> pd.DataFrame:
    """The trips, with a value in every column that is needed."""
    table = read_table(path)
    numbers = [*brands, *(column for columns in mix.values() for column in columns)]
    for name in (id, *numbers):
        if name not in table.columns:
            has = ", ".join(map(str, table.columns))
            raise UsageError(f"{path} has no column {name!r}. Its columns are: {has}.")
        if table[name].isna().any():
            raise UsageError(f"Column {name!r} of {path} has missing values.")
    for name in numbers:
        if not pd.api.types.is_numeric_dtype(table[name]):
            raise UsageError(f"Column {name!r} of {path} must hold numbers.")
    if not (table[brands] > 0).any(axis=None):
        raise UsageError(f"No trip of {path} has a unit of any brand: there is nothing to measure.")
    return table


def _model(table: pd.DataFrame, arguments: argparse.Namespace, brands: list[str], mix: Mix) -> BrandChoice:
    try:
        data = choice_data(table, arguments.id, brands, mix, arguments.least)
        return brand_choice(data, np.random.default_rng(arguments.seed), arguments.draws, arguments.burn_in)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _described(
    table: pd.DataFrame, id: str, brands: list[str], model: BrandChoice | None, price: str | None
) -> Described:
    """The metrics of every brand, and the model where one was fitted; None where nothing can be said."""
    found = brand_metrics(table, id, brands)
    metrics = {name: getattr(found, name) for name in METRICS if name != "markup"}
    if model is not None and price is not None:
        metrics["markup"] = equilibrium_markup(model.coefficient(price), found.market_share)
    described: Described = {
        name: [value if math.isfinite(value) else None for value in values.tolist()]
        for name, values in metrics.items()
    }
    return described | ({"choice": model.as_document()} if model is not None else {})


def _deviations(
    described: list[Described], models: list[BrandChoice | None], mix: Mix
) -> dict[str, float | None]:
    """The mean absolute percentage deviation of each metric, and of the coefficients of the mix."""
    one, other = described
    deviations = {
        name: mapd(*(np.array(each[name], dtype=np.float64) for each in (one, other)))
        for name in METRICS
        if name in one
    }
    original, protected = models
    if original is not None and protected is not None:
        deviations["mix"] = coefficient_mapd(original, protected, tuple(mix))
    return {name: value if math.isfinite(value) else None for name, value in deviations.items()}


def _as_text(document: dict[str, Any]) -> str:
    lines = []
    for which in ("original", "protected"):
        if which not in document:
            continue
        found = document[which]
        shown = [name for name in METRICS if name in found]
        lines += [f"{which:<14}" + "".join(f"{METRICS[name]:>26}" for name in shown)]
        for place, brand in enumerate(document["brands"]):
            lines.append(f"{brand:<14}" + "".join(f"{_figure(found[name][place]):>26}" for name in shown))
        if "choice" in found:
            lines += ["", *_model_lines(found["choice"])]
        lines.append("")
    if "mapd" in document:
        titles = {**METRICS, "mix": "coefficients of the mix"}
        lines.append("mean absolute percentage deviation")
        lines += [
            f"  {titles[name].split(',')[0]:<26}{_figure(it):>10}" for name, it in document["mapd"].items()
        ]
    return "\n".join(lines).rstrip()


def _model_lines(choice: Described) -> list[str]:
    lines = [
        f"brand choice of {choice['panelists']} people, McFadden's R² {choice['mcfadden_r2']:.4f}, "
        f"{choice['draws']} draws, {choice['accepted']:.0%} accepted",
        f"  {'coefficient':<20}{'mean':>10}{'deviation':>11}{'error':>10}",
    ]
    return lines + [
        f"  {name:<20}{it['mean']:>10.4f}{it['deviation']:>11.4f}{it['monte_carlo_error']:>10.4f}"
        for name, it in choice["coefficients"].items()
    ]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".rstrip("0").rstrip(".")
