"""A team's program on a round in a folder: in the sandbox, with what the site would hand it and no more."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attacks.sandbox import ProgramError, read_program, run_files
from games.contract.boxes import contents, write_files
from games.contract.declaration import File, Moment, Scope, is_shown
from games.contract.values import Target
from games.programs import HIDER, SEEKER, STARTER, TARGET_FACTS, TASK_FACTS, files_of, started
from games.rehearsal import Rehearsal
from kakurenbo.main import UsageError

SECONDS, MEGABYTES = 60, 1024
"""What a round of a site allows where its organisers say nothing else."""
MOST_BYTES = 512 << 20

Files = dict[str, bytes]


def is_program(name: str) -> bool:
    """Whether a word names a program by its path, and not a house method or attack."""
    return "/" in name or name.endswith((".py", ".zip"))


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Limits of a program, as a round of a site sets them."""
    parser.add_argument(
        "--seconds", type=int, default=SECONDS, metavar="N", help="CPU time of a program per run"
    )
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, metavar="N", help="memory of a program")


def hide_by_program(
    round_: Rehearsal, arguments: argparse.Namespace, slot: str, variant: int
) -> dict[str, bytes]:
    """The files of an entry that a hider makes."""
    facts = {"slot": slot, "variant": variant, "parameters": round_.world().params}
    inputs = {**_readable(round_, arguments.seat, "open"), "task": {TASK_FACTS: _json(facts)}}
    made, reason = _run(arguments.method, HIDER, inputs, arguments)
    if made is None:
        raise UsageError(f"{arguments.method} made no entry. {reason}")
    return made


def seek_by_program(
    round_: Rehearsal, arguments: argparse.Namespace, targets: Iterable[Target]
) -> tuple[dict[str, bytes], list[str]]:
    """The files of an answer about all targets, and the targets about which the program gave none."""
    inputs, parts, failed = _readable(round_, arguments.seat, "publish"), list[Files](), list[str]()
    for target in targets:
        facts = {"key": target.key, "slot": target.slot, "labels": dict(target.labels)}
        print(f"{arguments.name} on {target.key}:", file=sys.stderr)
        seen = {**contents(target.published), TARGET_FACTS: _json(facts)}
        made, reason = _run(arguments.name, SEEKER, {**inputs, "target": seen}, arguments)
        if made is None:
            failed.append(target.key)
            print(reason, file=sys.stderr)
        else:
            parts.append(made)
    if not parts:
        raise UsageError(f"{arguments.name} answered about no target.")
    return _joined(round_.declared.files_of("answer"), parts), failed


def _readable(round_: Rehearsal, seat: int, moment: Moment) -> dict[str, Files]:
    """The files of the round and of the own seat that programs may read at a moment, if they are here."""
    round_.seat(seat)
    own = round_.seat_files.get(seat, {})
    scopes: list[tuple[Scope, Mapping[str, bytes], tuple[str, ...]]] = [
        ("round", round_.round_files, ("all", "programs")),
        ("seat", own, ("all", "team", "programs")),
    ]
    found: dict[str, Files] = {}
    for scope, files, readers in scopes:
        declared = [file for file in round_.declared.files_of(scope) if _may_read(file, readers, moment)]
        found[scope] = {
            name: content
            for name, content in files.items()
            if any(file.pattern.fullmatch(name) for file in declared)
        }
        absent = [
            file.name
            for file in declared
            if file.required and not any(map(file.pattern.fullmatch, found[scope]))
        ]
        if absent:
            print(f"On the site the program also reads {', '.join(absent)}.", file=sys.stderr)
    return {"round": found["round"], "mine": found["seat"]}


def _may_read(file: File, readers: Iterable[str], moment: Moment) -> bool:
    return any(is_shown(file.shown, reader, moment) for reader in readers)


def _run(
    name: str, kind: str, inputs: Mapping[str, Files], arguments: argparse.Namespace
) -> tuple[Files | None, str]:
    """What a program writes, or why it writes nothing; its log goes to standard error."""
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"There is no program {name}.")
    try:
        program = read_program(path.read_bytes(), kind)
    except ProgramError as error:
        raise UsageError(f"{name} cannot be run. {error}") from None
    limits = {
        "cpu_seconds": arguments.seconds,
        "memory_bytes": arguments.megabytes << 20,
        "output_bytes": MOST_BYTES,
    }
    with tempfile.TemporaryDirectory(prefix="kakurenbo-run-") as place:
        folders = {inner: Path(place, inner) for inner in inputs}
        for inner, files in inputs.items():
            folders[inner].mkdir()
            write_files(folders[inner], files)
        # The program and the machine belong to the caller.
        result = run_files(
            started(program.files, program.entry), STARTER, folders, limits, accept_uncounted=True
        )
    if result.status == "refused":
        raise UsageError(f"Programs run in a sandbox alone, and there is none here. {result.reason}")
    print(result.log, end="", file=sys.stderr)
    if result.output is None:
        return None, str(result.reason)
    made = files_of(result.output, MOST_BYTES)
    return (made, "") if made else (None, "The program wrote no files.")


def _joined(declared: Iterable[File], parts: list[Files]) -> Files:
    """The answers about single targets as one; a file about all targets gets the columns of each."""
    wide = [file for file in declared if any(column.per_target for column in file.columns)]
    joined: Files = {}
    for part in parts:
        for name, content in part.items():
            file = next((one for one in wide if one.pattern.fullmatch(name)), None)
            if file is not None and name in joined:
                joined[name] = beside(joined[name], content, _n_common(file))
            else:
                joined[name] = content
    return joined


def _n_common(file: File) -> int:
    return sum(not column.per_target for column in file.columns)


def beside(first: bytes, second: bytes, n_common: int) -> bytes:
    """Two tables as one: the columns of the first, then those of the second after its common ones.

    >>> beside(b"row,a\\n1,0\\n", b"row,b\\n1,1\\n", 1)
    b'row,a,b\\n1,0,1\\n'
    """
    tables = [content.removesuffix(b"\n").split(b"\n") for content in (first, second)]
    if len({len(lines) for lines in tables}) != 1:
        raise UsageError("The program wrote files of different lengths for the targets of one answer.")
    pairs = zip(*tables, strict=True)
    rows = (b",".join([one, *other.split(b",")[n_common:]]) for one, other in pairs)
    return b"\n".join(rows) + b"\n"


def _json(facts: Mapping[str, Any]) -> bytes:
    return (json.dumps(facts, ensure_ascii=False, sort_keys=True, default=str) + "\n").encode()
