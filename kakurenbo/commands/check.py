"""``kakurenbo check``: is an original, or an entry, legal?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.archive import Limits, open_upload
from datasets.check import ENTRY_FILES, check_entry
from datasets.folder import read_original
from datasets.problems import BadFiles, Problem, Verdict
from datasets.pwscup2017 import check_2017, read_sheet
from datasets.pwscup2018 import check_2018, read_sheet_2018
from datasets.reader import Source
from datasets.rules import FileRules
from kakurenbo.main import UsageError


@dataclass(frozen=True)
class Preset:
    """How a year's original is read, which files an entry has, and how they are checked."""

    read: Callable[[Path], Any]
    files: tuple[str, ...]
    check: Callable[[Mapping[str, Source], Any], Verdict]


PRESETS = {
    "pwscup2016": Preset(
        read_original,
        ENTRY_FILES,
        lambda files, original: check_entry(files, original, FileRules(max_bytes=sys.maxsize)).verdict,
    ),
    "pwscup2017": Preset(
        lambda folder: read_sheet(folder / "T.csv"),
        ("AT.csv",),
        lambda files, original: check_2017(files["AT.csv"], original)[1],
    ),
    "pwscup2018": Preset(
        lambda folder: read_sheet_2018(folder / "T.csv"),
        ("A.csv",),
        lambda files, original: check_2018(files["A.csv"], original)[1],
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--original", type=Path, required=True, metavar="DIR", help="folder of the original")
    parser.add_argument(
        "--entry", type=Path, metavar="DIR", help="folder or zip of the entry; without it, check the original"
    )
    parser.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default="pwscup2016",
        help="whose files and rules (default: 2016)",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(arguments: argparse.Namespace) -> int:
    try:
        verdict = _verdict(PRESETS[arguments.preset], arguments.original, arguments.entry)
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    print(json.dumps(verdict.as_dict(), indent=2, ensure_ascii=False) if arguments.json else _told(verdict))
    return 0 if verdict.ok else 1


def _verdict(preset: Preset, folder: Path, entry: Path | None) -> Verdict:
    try:
        original = preset.read(folder)
    except BadFiles as error:
        if entry is None:
            return error.verdict
        first = error.verdict.problems[0]
        raise UsageError(f"The original in {folder} is itself not valid. First problem: {first}") from error
    if entry is None:
        return Verdict()
    with ExitStack() as stack:
        try:
            files = open_entry(entry, preset.files, stack)
        except BadFiles as error:
            return error.verdict
        return preset.check(files, original)


def open_entry(entry: Path, wanted: tuple[str, ...], stack: ExitStack) -> Mapping[str, Source]:
    """The files of an entry, a folder or a zip of it; raise `BadFiles` where one is missing."""
    if entry.is_dir():
        files: dict[str, Source] = {name: entry / name for name in wanted if (entry / name).is_file()}
    else:
        limits = Limits(file_bytes=sys.maxsize, total_bytes=sys.maxsize)
        opened = open_upload(stack.enter_context(entry.open("rb")), wanted, limits, entry.name)
        for file in opened.values():
            stack.callback(file.close)
        files = dict(opened)
    absent = [
        Problem(name, None, None, "missing-file", None, f"a file {name}")
        for name in wanted
        if name not in files
    ]
    if absent:
        raise BadFiles(Verdict.of(*absent))
    return files


def _told(verdict: Verdict) -> str:
    if verdict.ok:
        return "valid"
    lines = [str(problem) for problem in verdict.problems]
    if verdict.total > len(lines):
        lines.append(f"… and {verdict.total - len(lines)} more.")
    return "\n".join([*lines, f"invalid: {verdict.total} problem{'s' if verdict.total > 1 else ''}"])
