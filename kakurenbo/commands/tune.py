"""``kakurenbo tune``: search a method's parameters against a round's limits and a set of attacks."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from anonymizers.anonymizer import ParameterError
from anonymizers.parameters import checked
from games.formats.commands.attacks import ATTACKS
from games.formats.commands.methods import METHODS, Anonymizer
from games.formats.commands.presets import DEFAULT_PRESET
from games.formats.methods import anonymizer
from kakurenbo.commands.anonymize import parsed_settings, read_folder
from kakurenbo.frontier import (
    Trial,
    as_csv,
    as_svg,
    frontier,
    random_settings,
    search,
    settings_of_grid,
    try_settings,
)
from kakurenbo.limits import PRESETS, read_limits
from kakurenbo.main import UsageError
from kakurenbo.output import write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("method", choices=[m.name for m in METHODS], metavar="METHOD", help="what to tune")
    parser.add_argument("--original", type=Path, required=True, metavar="DIR", help="folder of M.csv, T.csv")
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=V1,V2,…",
        help="values to combine; else random ones",
    )
    parser.add_argument("--trials", type=int, default=20, metavar="N", help="at most this many (default: 20)")
    parser.add_argument(
        "--until", type=float, metavar="RISK", help="stop at a valid entry with this risk or less"
    )
    parser.add_argument("--attacks", metavar="A,B", help="which house attacks (default: all)")
    presets = ", ".join(PRESETS)
    parser.add_argument(
        "--limits", metavar="FILE", default=DEFAULT_PRESET, help=f"file of limits, or {presets}"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="same seed, same result (default: 1)"
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all trials as CSV")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the utility-risk map as SVG")


def run(arguments: argparse.Namespace) -> int:
    method = anonymizer(arguments.method)
    limits, attacks = read_limits(arguments.limits), _attacks(arguments.attacks)
    grid = {name: values.split(",") for name, values in parsed_settings(arguments.grid).items()}
    _check_grid(method, grid)
    if arguments.trials < 1 or arguments.seed < 0:
        raise UsageError("--trials must be at least 1 and --seed a natural number.")
    original = read_folder(arguments.original)
    rng = np.random.default_rng(arguments.seed)
    settings = settings_of_grid(grid) if grid else random_settings(method, rng)
    trials: list[Trial] = []
    for trial in search(
        settings,
        lambda parameters: try_settings(method, original, limits, attacks, arguments.seed, parameters),
        arguments.trials,
        arguments.until,
    ):
        trials.append(trial)
        if sys.stderr.isatty():
            print(f"{len(trials)}: {_line(trial, False)}", file=sys.stderr)
    if arguments.csv:
        write_text(arguments.csv, as_csv(trials))
    if arguments.svg:
        write_text(arguments.svg, as_svg(method.name, trials))
    print(as_text(method.name, trials))
    return 0 if any(trial.valid for trial in trials) else 1


def as_text(method: str, trials: list[Trial]) -> str:
    """The trials as a table, the frontier marked with a star."""
    kept = {id(trial) for trial in frontier(trials)}
    lines = [f"{method}: {len(trials)} trials, {len(kept)} on the frontier (*)", ""]
    lines.append(f"  {'utility':>8} {'found':>10} {'strongest attack':<20} limits  parameters")
    lines += [_line(trial, id(trial) in kept) for trial in sorted(trials, key=lambda t: (t.risk, -t.utility))]
    return "\n".join(lines)


def _line(trial: Trial, starred: bool) -> str:
    found = f"{trial.most_hits}/{trial.n_released}" if trial.n_released else "-"
    settings = " ".join(f"{name}={value}" for name, value in trial.parameters.items())
    mark, limits = "*" if starred else " ", "hold" if trial.valid else "break"
    return f"{mark} {trial.utility:8.2f} {found:>10} {trial.strongest:<20} {limits:<7} {settings}"


def _attacks(text: str | None) -> list[str]:
    known = [attack.name for attack in ATTACKS]
    if text is None:
        return known
    chosen = [name.strip() for name in text.split(",")]
    for name in chosen:
        if name not in known:
            raise UsageError(f"--attacks: got {name!r}, expected some of {', '.join(known)}.")
    return chosen


def _check_grid(method: Anonymizer, grid: dict[str, list[str]]) -> None:
    """Refuse a wrong value at once, not after an hour of trials."""
    try:
        for name, values in grid.items():
            for value in values:
                checked(method.name, method.parameters, {name: value})
    except ParameterError as error:
        raise UsageError(str(error)) from error
