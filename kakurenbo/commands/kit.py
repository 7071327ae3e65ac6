"""``kakurenbo kit``: what the platform will say of an entry, worked out in the folder of a round's kit.

The steps are the platform's own: the files are checked by the round's rules, brought into the neutral order,
written, read again, measured and attacked. So the numbers are the platform's, to the last digit.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attacks.attack import Guess
from attacks.evaluate import judge
from attacks.registry import ATTACKS, attack, run_attack
from datasets.check import ENTRY_FILES, check_entry, check_guess
from datasets.folder import canonical_order, read_original, write_dataset
from datasets.problems import BadFiles
from datasets.rules import FileRules
from datasets.tables import Dataset, Release
from kakurenbo.commands.check import open_entry
from kakurenbo.main import UsageError
from scoring.registry import measure
from scoring.rules import Limit, evaluate
from scoring.run import measure_release

ROUND_FILE = "round.json"


@dataclass(frozen=True)
class Kit:
    """A round as its kit describes it. The seed of its house attacks is secret until the reveal."""

    folder: Path
    limits: tuple[Limit, ...]
    rules: FileRules
    attacks: tuple[str, ...]
    seed: int | None
    program_seconds: int
    program_megabytes: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("check", "score", "attack"), help="what to do with the entry")
    parser.add_argument("entry", type=Path, help="folder or zip of M.csv, T.csv and P.csv")
    parser.add_argument("--kit", type=Path, default=Path(), metavar="DIR", help="the kit (default: here)")
    parser.add_argument(
        "--by", metavar="NAME", help="attack: one house attack, or the path of a reidentify.py (default: all)"
    )
    parser.add_argument(
        "--seed", type=int, help="attack: seed of the ties (default: the round's, once known)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(arguments: argparse.Namespace) -> int:
    kit = read_kit(arguments.kit)
    try:
        with neutral_entry(kit, arguments.entry) as (original, release, folder):
            if arguments.what == "check":
                said: dict[str, Any] = {"valid": True}
            elif arguments.what == "score":
                said = score(kit, original, release)
            else:
                said = attacked(kit, original, release, folder, arguments.by, arguments.seed)
    except BadFiles as error:
        verdict = error.verdict.as_dict()
        lines = [str(problem) for problem in error.verdict.problems]
        print(json.dumps(verdict, indent=2, ensure_ascii=False) if arguments.json else "\n".join(lines))
        return 1
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    print(json.dumps(said, indent=2) if arguments.json else "\n".join(_told(said)))
    return 0 if said.get("valid", True) else 1


def read_kit(folder: Path) -> Kit:
    path = folder / ROUND_FILE
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Kit(
            folder=folder,
            limits=tuple(Limit(**limit) for limit in said["limits"]),
            rules=FileRules(**said["file_rules"]),
            attacks=tuple(said["attacks"]),
            seed=said["seed"],
            program_seconds=said["program_seconds"],
            program_megabytes=said["program_megabytes"],
        )
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}. Is {folder} the folder of a kit?") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is not the description of a round: {error}.") from error


@contextmanager
def neutral_entry(kit: Kit, entry: Path) -> Iterator[tuple[Dataset, Release, Path]]:
    """The original, the entry in the form in which it is judged, and a folder of that form's public files."""
    original = read_original(kit.folder / "data")
    with ExitStack() as stack:
        files = open_entry(entry, ENTRY_FILES, stack)
        checked = check_entry(files, original, kit.rules)
    if checked.release is None:
        raise BadFiles(checked.verdict)
    release = canonical_order(checked.release)
    with tempfile.TemporaryDirectory(prefix="kakurenbo-kit-") as folder:
        write_dataset(Path(folder), release.data)
        yield original, Release(read_original(Path(folder)), release.truth), Path(folder)


def score(kit: Kit, original: Dataset, release: Release) -> dict[str, Any]:
    results = measure_release(
        original,
        release,
        [measure(limit.measure) for limit in kit.limits],
        options={"ut-jaccard": {"vanished": kit.rules.vanished}},
    )
    verdict = evaluate(results, kit.limits)
    return {
        "valid": verdict.valid,
        "utility": verdict.score,
        "because": list(verdict.because),
        "measures": {name: result.value for name, result in results.items()},
        "limits": {limit.measure: f"{limit.operator} {limit.limit:.10g}" for limit in kit.limits},
    }


def attacked(
    kit: Kit, original: Dataset, release: Release, folder: Path, by: str | None, seed: int | None
) -> dict[str, Any]:
    chosen = kit.seed if seed is None else seed
    found = {}
    for name in [by] if by else kit.attacks:
        if "/" in name or name.endswith((".py", ".zip")):
            guess = _guess_of_program(kit, original, release, folder, Path(name))
        else:
            _require_known(name)
            guess = run_attack(name, original, release.data, chosen or 0)
        found[name] = judge(guess, release.truth, original.n_customers).as_dict()
    return {"seed": chosen, "attacks": found}


def _require_known(name: str) -> None:
    try:
        attack(name)
    except KeyError as error:
        known = ", ".join(house.name for house in ATTACKS)
        raise UsageError(
            f"{error.args[0]} House attacks: {known}. A program is named by its path."
        ) from error


def _guess_of_program(kit: Kit, original: Dataset, release: Release, folder: Path, program: Path) -> Guess:
    """Run a re-identifier as the platform does: isolated, within the round's limits."""
    from attacks.sandbox import Limits, run_program

    if not program.is_file():
        raise UsageError(f"There is no program {program}.")
    limits = Limits(cpu_seconds=kit.program_seconds, memory_bytes=kit.program_megabytes * 1024 * 1024)
    inputs = {"original": kit.folder / "data", "entry": folder}
    result = run_program(
        program, inputs, limits=limits, on_log=lambda text: print(text, end="", file=sys.stderr)
    )
    if result.output is None:
        raise UsageError(f"{program} gave no guess. {result.reason}")
    rows, verdict = check_guess(io.BytesIO(result.output), release.data.n_customers, original.n_customers)
    if rows is None:
        raise BadFiles(verdict)
    return Guess(rows)


def _told(said: Mapping[str, Any]) -> Iterator[str]:
    if "attacks" in said:
        yield f"{'attack':24} {'hits':>6} {'rate':>22}"
        for name, judged in said["attacks"].items():
            yield f"{name:24} {judged['hits']:6} {judged['rate']!r:>22}"
        if said["seed"] is None:
            yield "The seed of this round is not revealed yet: ties were drawn with seed 0."
        return
    yield "valid" if said["valid"] else "breaks a limit"
    if "measures" in said:
        for name, value in said["measures"].items():
            yield f"{name:24} {value!r:>22}  {said['limits'][name]}"
        yield from said["because"]
        yield f"{'utility':24} {said['utility']!r:>22}"
