"""``kakurenbo kit``: what the platform will report for an entry, computed in the folder of a round's kit.

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

from datasets.archive import ArchiveError
from datasets.problems import BadFiles
from datasets.tables import Integers
from games.formats import Format, find_format
from games.formats.attacks import attack, run_attack
from games.formats.guessing import Target, find_game
from games.formats.limits import judged
from games.formats.measures import measure
from games.formats.rules import FileRules
from games.round_folder import ROUND
from kakurenbo import round_commands
from kakurenbo.commands.check import open_entry
from kakurenbo.main import UsageError
from kakurenbo.place import add_place_arguments, find_place
from scoring.rules import Limit
from scoring.run import measure_pair

ROUND_FILE = "round.json"


@dataclass(frozen=True)
class Kit:
    """A round as its kit describes it. The seed of its house attacks is secret until the reveal."""

    folder: Path
    format: Format
    limits: tuple[Limit, ...]
    rules: FileRules
    attacks: tuple[str, ...]
    seed: int | None
    program_seconds: int
    program_megabytes: int


@dataclass(frozen=True, eq=False)
class Judged:
    """An entry in the form in which it is judged, beside its original; `folder` holds its public files."""

    original: Any
    released: Any
    truth: Integers
    n_released: int
    folder: Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("download", "check", "score", "attack"),
        help="fetch the kit of a round on a site, or what to do with an entry",
    )
    parser.add_argument("entry", type=Path, nargs="?", help="folder or zip of the entry's files")
    parser.add_argument("--kit", type=Path, default=Path(), metavar="DIR", help="the kit (default: here)")
    parser.add_argument(
        "--by", metavar="NAME", help="attack: one house attack, or the path of a reidentify.py (default: all)"
    )
    parser.add_argument(
        "--seed", type=int, help="attack: seed of the ties (default: the round's, once known)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--out", type=Path, metavar="ZIP", help="download: the file (default: ROUND-kit.zip)")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.what == "download":
        return _download(arguments)
    if arguments.entry is None:
        raise UsageError(f"`kit {arguments.what}` needs the folder of an entry.")
    if (arguments.kit / ROUND / ROUND_FILE).is_file():
        return _in_game_kit(arguments)
    kit = read_kit(arguments.kit)
    try:
        with judged_entry(kit, arguments.entry) as entry:
            if arguments.what == "check":
                said: dict[str, Any] = {"valid": True}
            elif arguments.what == "score":
                said = score(kit, entry)
            else:
                said = attacked(kit, entry, arguments.by, arguments.seed)
    except (ArchiveError, BadFiles) as error:
        verdict = error.verdict.as_dict()
        lines = [str(problem) for problem in error.verdict.problems]
        print(json.dumps(verdict, indent=2, ensure_ascii=False) if arguments.json else "\n".join(lines))
        return 1
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    print(json.dumps(said, indent=2) if arguments.json else "\n".join(_told(said)))
    return 0 if said.get("valid", True) else 1


def _download(arguments: argparse.Namespace) -> int:
    place = find_place(arguments)
    target = arguments.out or Path(f"{place.round}-kit.zip")
    try:
        size = place.client.download(f"{place.path}kit.zip", target)
    except OSError as error:
        raise UsageError(f"Cannot write {target}: {error.strerror}.") from error
    print(f"{target}: {size:,} bytes. Its README.md says how to use it.")
    return 0


def _in_game_kit(arguments: argparse.Namespace) -> int:
    """In the kit of a game its round is a folder, and the commands on such folders do the work."""
    if arguments.what == "attack":
        raise UsageError("This is the kit of a game: use `kakurenbo attack NAME --round round --out DIR`.")
    command = round_commands.COMMANDS[arguments.what]
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = ["--round", str(arguments.kit / ROUND), "--entry", str(arguments.entry)]
    return int(command.run(parser.parse_args(words + ["--json"] * arguments.json)))


def read_kit(folder: Path) -> Kit:
    path = folder / ROUND_FILE
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Kit(
            folder=folder,
            format=find_format(said["format"]),
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
def judged_entry(kit: Kit, entry: Path) -> Iterator[Judged]:
    """Check an entry by the round's rules and bring it into the form in which it is judged."""
    spec = kit.format
    original = spec.read_original(kit.folder / "data")
    with ExitStack() as stack:
        files = open_entry(entry, spec.upload_names, stack, spec.upload_aliases)
        checked = spec.check_upload(files, original, kit.rules)
    if checked.neutral is None:
        raise BadFiles(checked.verdict)
    with tempfile.TemporaryDirectory(prefix="kakurenbo-kit-") as name:
        folder = Path(name)
        spec.write_released(folder, checked.neutral.released)
        released = spec.read_released(folder)
        yield Judged(original, released, checked.neutral.truth, checked.neutral.n_released, folder)


def score(kit: Kit, entry: Judged) -> dict[str, Any]:
    results = measure_pair(
        *kit.format.measured(entry.original, entry.released, entry.truth),
        [measure(limit.measure) for limit in kit.limits],
        options={"ut-jaccard": {"vanished": kit.rules.vanished}},
    )
    verdict = judged(results, kit.limits)
    return {
        "valid": verdict.valid,
        "utility": verdict.score,
        "because": [str(reason) for reason in verdict.because],
        "measures": {name: result.value for name, result in results.items()},
        "limits": {limit.measure: f"{limit.operator} {limit.limit:.10g}" for limit in kit.limits},
    }


def attacked(kit: Kit, entry: Judged, by: str | None = None, seed: int | None = None) -> dict[str, Any]:
    """Attack an entry by one attack or by all of the round, and judge the guesses."""
    chosen = kit.seed if seed is None else seed
    game = find_game(kit.format.name)
    n_original = kit.format.facts(entry.original).n_people
    target = Target(n_original, entry.n_released, lambda: entry.original, lambda: entry.released)
    found = {}
    for name in [by] if by else kit.attacks:
        if "/" in name or name.endswith((".py", ".zip")):
            guess, verdict = game.check(io.BytesIO(_answer_of(kit, entry, Path(name))), target)
            if guess is None:
                raise BadFiles(verdict)
        else:
            _require_known(name)
            guess = run_attack(name, entry.original, entry.released, chosen or 0)
        found[name] = game.judge(guess, target, entry.truth).judgement.as_dict()
    return {"seed": chosen, "attacks": found}


def _require_known(name: str) -> None:
    try:
        attack(name)
    except KeyError as error:
        raise UsageError(f"{error.args[0]} A program is named by its path.") from error


def _answer_of(kit: Kit, entry: Judged, program: Path) -> bytes:
    """Run a re-identifier as the platform does: isolated, within the round's limits."""
    from attacks.sandbox import Limits, run_program

    if not program.is_file():
        raise UsageError(f"There is no program {program}.")
    result = run_program(
        program,
        {"original": kit.folder / "data", "entry": entry.folder},
        limits=Limits(cpu_seconds=kit.program_seconds, memory_bytes=kit.program_megabytes * 1024 * 1024),
        on_log=lambda text: print(text, end="", file=sys.stderr),
        public={"original": kit.format.original_files, "entry": kit.format.public_files},
        # The program and the machine belong to the caller.
        accept_uncounted=True,
    )
    if result.output is None:
        raise UsageError(f"{program} gave no guess. {result.reason}")
    return result.output


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
