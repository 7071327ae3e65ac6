"""``kakurenbo judge``: a guess against the truth."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from attacks.attack import Guess
from attacks.evaluate import judge
from datasets.problems import BadFiles
from games.formats.commands.entries import check_guess, n_people, read_original, read_release
from kakurenbo.main import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--entry", type=Path, required=True, metavar="DIR", help="folder with M, T and P")
    parser.add_argument("--guess", type=Path, required=True, metavar="Q.csv", help="the guess")
    parser.add_argument(
        "--original",
        type=Path,
        metavar="DIR",
        help="folder of the original; without it, M and M′ are equally long",
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    try:
        release = read_release(arguments.entry)
        n_released = n_people(release.data)
        n_original = max(n_released, int(release.truth.max(initial=-1)) + 1)
        if arguments.original is not None:
            n_original = n_people(read_original(arguments.original))
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    except BadFiles as error:
        raise UsageError(f"The entry is not valid. First problem: {error.verdict.problems[0]}") from error
    try:
        rows, verdict = check_guess(arguments.guess, n_released, n_original, arguments.guess.name)
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    if rows is None:
        print("\n".join(str(problem) for problem in verdict.problems))
        return 1
    judged = judge(Guess(rows), release.truth, n_original)
    if arguments.json:
        print(json.dumps(judged.as_dict(), indent=2))
    else:
        print(f"{judged.hits} of {judged.n_released} re-identified: {judged.rate:.2%}")
        print(f"95 % interval {judged.low:.2%} to {judged.high:.2%}; at random {judged.baseline:.2%}")
    return 0
