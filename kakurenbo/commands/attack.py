"""``kakurenbo attack``: guess who is who in an entry, by a house attack or by a program in the sandbox."""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from attacks.attack import Guess
from attacks.evaluate import Judgement, judge
from datasets.problems import BadFiles
from datasets.tables import NO_GUESS
from datasets.writer import replacing
from games.formats.attacks import attack, run_attack
from games.formats.commands.attacks import ATTACKS
from games.formats.commands.entries import check_guess, n_people, read_original, read_release, read_released
from kakurenbo.main import UsageError


@dataclass(frozen=True, eq=False)
class Outcome:
    """One attack on one entry: the guess, the CPU time, and how it was judged if that was asked for."""

    name: str
    guess: Guess
    seconds: float
    judged: Judgement | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="a house attack, `all`, or the path of a reidentify.py or its zip")
    parser.add_argument(
        "--original", type=Path, required=True, metavar="DIR", help="folder of M.csv and T.csv"
    )
    parser.add_argument("--entry", type=Path, required=True, metavar="DIR", help="folder of the entry")
    parser.add_argument("--out", type=Path, metavar="Q.csv", help="where to write the guess")
    parser.add_argument("--seed", type=int, default=0, help="seed of all randomness (default: 0)")
    parser.add_argument("--judge", action="store_true", help="compare with the entry's P.csv")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.name == "all" and arguments.out is not None:
        raise UsageError("`attack all` makes many guesses and takes no --out. Name one attack instead.")
    try:
        outcomes = list(_outcomes(arguments))
        if arguments.out is not None:
            write_guess(arguments.out, outcomes[0].guess)
    except OSError as error:
        raise UsageError(f"Cannot read or write {error.filename}: {error.strerror}.") from error
    except BadFiles as error:
        raise UsageError(f"The input is not valid. First problem: {error.verdict.problems[0]}") from error
    if arguments.json:
        found = [_as_dict(outcome) for outcome in outcomes]
        print(json.dumps(found if arguments.name == "all" else found[0], indent=2))
    else:
        print("\n".join(_table(outcomes)))
    return 0


def _outcomes(arguments: argparse.Namespace) -> Iterator[Outcome]:
    names = [house.name for house in ATTACKS] if arguments.name == "all" else [arguments.name]
    is_program = arguments.name != "all" and _is_path(arguments.name)
    if not is_program:
        _known(names[0])
    original = read_original(arguments.original)
    released = read_released(arguments.entry)
    truth = read_release(arguments.entry).truth if arguments.judge else None
    for name in names:
        before = time.process_time()
        if is_program:
            guess, seconds = _run_program(arguments, original, released)
        else:
            guess = run_attack(name, original, released, arguments.seed)
            seconds = time.process_time() - before
        judged = None if truth is None else judge(guess, truth, n_people(original))
        yield Outcome(name, guess, seconds, judged)


def _is_path(name: str) -> bool:
    return "/" in name or name.endswith((".py", ".zip"))


def _known(name: str) -> None:
    try:
        attack(name)
    except KeyError as error:
        raise UsageError(f"{error.args[0]} A program is named by its path, e.g. ./reidentify.py.") from error


def _run_program(arguments: argparse.Namespace, original: Any, released: Any) -> tuple[Guess, float]:
    """Run a re-identifier as the platform does, isolated; its log goes to standard error."""
    from attacks.sandbox import run_program

    program = Path(arguments.name)
    if not program.is_file():
        raise UsageError(f"There is no program {arguments.name}.")
    inputs = {"original": arguments.original, "entry": arguments.entry}
    result = run_program(
        program,
        inputs,
        on_log=lambda text: print(text, end="", file=sys.stderr),
        # The program and the machine belong to the caller.
        accept_uncounted=True,
    )
    if result.output is None:
        raise UsageError(f"{arguments.name} gave no guess. {result.reason}")
    rows, verdict = check_guess(io.BytesIO(result.output), n_people(released), n_people(original))
    if rows is None:
        raise BadFiles(verdict)
    return Guess(rows), result.cpu_seconds


def write_guess(path: Path, guess: Guess) -> None:
    """Write Q: a row of M counted from 1, or ``-`` for no guess, one per line."""
    text = "".join("-\n" if row == NO_GUESS else f"{row + 1}\n" for row in guess.rows.tolist())
    with replacing(path) as file:
        file.write(text.encode())


def _table(outcomes: list[Outcome]) -> Iterator[str]:
    judged = outcomes[0].judged is not None
    found = "     hits  expected     rate  95 % interval" if judged else ""
    width = max([18, *(len(outcome.name) for outcome in outcomes)])
    yield f"{'attack':{width}} {'guesses':>8} {'unique':>8} {'seconds':>8}{found}"
    for outcome in outcomes:
        guesses = int((outcome.guess.rows != NO_GUESS).sum())
        line = f"{outcome.name:{width}} {guesses:8} {_unique(outcome.guess):8} {outcome.seconds:8.2f}"
        if outcome.judged is not None:
            it = outcome.judged
            line += f" {it.hits:8} {it.expected_hits:9.1f} {it.rate:8.1%}  {it.low:.1%} to {it.high:.1%}"
        yield line


def _unique(guess: Guess) -> int:
    """How many guesses were not drawn from several rows that fit equally well."""
    if guess.tie_class is None:
        return int((guess.rows != NO_GUESS).sum())
    alone = np.array([len(members) == 1 for members in guess.tie_members], dtype=bool)
    return int(alone[guess.tie_class].sum())


def _as_dict(outcome: Outcome) -> dict[str, Any]:
    rows = [None if row == NO_GUESS else row + 1 for row in outcome.guess.rows.tolist()]
    found: dict[str, Any] = {"attack": outcome.name, "guess": rows, "cpu_seconds": round(outcome.seconds, 3)}
    if outcome.guess.tie_class is not None:
        sizes = np.array([len(members) for members in outcome.guess.tie_members], dtype=np.int64)
        found["tie_class_size"] = sizes[outcome.guess.tie_class].tolist()
    if outcome.judged is not None:
        found["judged"] = outcome.judged.as_dict()
    return found
