"""``kakurenbo check``: is an original, or an entry, legal?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from datasets.archive import Limits, open_upload
from datasets.problems import MISSING_FILE, BadFiles, Problem, Verdict
from datasets.reader import Source
from datasets.remarks import Remark
from games.formats import Format
from games.formats.commands.presets import DEFAULT_PRESET, PRESETS
from games.formats.rules import FileRules
from kakurenbo.main import UsageError
from kakurenbo.verdicts import told_kinds, told_remarks

RULES = FileRules(max_bytes=sys.maxsize)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--original", type=Path, required=True, metavar="DIR", help="folder of the original")
    parser.add_argument(
        "--entry", type=Path, metavar="DIR", help="folder or zip of the entry; without it, check the original"
    )
    parser.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default=DEFAULT_PRESET,
        help=f"whose files and rules (default: {PRESETS[DEFAULT_PRESET].format.name})",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(arguments: argparse.Namespace) -> int:
    try:
        verdict = _verdict(PRESETS[arguments.preset].format, arguments.original, arguments.entry)
    except OSError as error:
        raise UsageError(f"Cannot read {error.filename}: {error.strerror}.") from error
    print(json.dumps(verdict.as_dict(), indent=2, ensure_ascii=False) if arguments.json else _told(verdict))
    return 0 if verdict.ok else 1


def _verdict(spec: Format, folder: Path, entry: Path | None) -> Verdict:
    try:
        original = spec.read_original(folder)
    except BadFiles as error:
        if entry is None:
            return error.verdict
        first = error.verdict.problems[0]
        raise UsageError(f"The original in {folder} is itself not valid. First problem: {first}") from error
    if entry is None:
        return Verdict()
    with ExitStack() as stack:
        try:
            files = open_entry(entry, spec.upload_names, stack, spec.upload_aliases)
        except BadFiles as error:
            return error.verdict
        return spec.check_upload(files, original, RULES).verdict.explained(files.remarks)


class Files(dict[str, Source]):
    """The files of an entry by name, and how they were read where they are odd."""

    remarks: tuple[Remark, ...] = ()


def open_entry(
    entry: Path, wanted: tuple[str, ...], stack: ExitStack, aliases: Mapping[str, str] | None = None
) -> Files:
    """The files of an entry, a folder or a zip of it; raise `BadFiles` where one is missing."""
    if entry.is_dir():
        files = Files({name: entry / name for name in wanted if (entry / name).is_file()})
    else:
        limits = Limits(file_bytes=sys.maxsize, total_bytes=sys.maxsize)
        archive = stack.enter_context(entry.open("rb"))
        opened = open_upload(archive, wanted, limits, entry.name, ignore_others=True, aliases=aliases)
        for file in opened.values():
            stack.callback(file.close)
        files = Files(opened)
        files.remarks = opened.remarks
    absent = [
        Problem(name, None, None, None, MISSING_FILE(name=name)) for name in wanted if name not in files
    ]
    if absent:
        raise BadFiles(Verdict.of(*absent))
    return files


def _told(verdict: Verdict) -> str:
    """Causes first, then each kind of problem once where there are many, then the lines."""
    told = told_remarks(verdict.remarks)
    if verdict.ok:
        return "\n".join([*told, "valid"])
    lines = [str(problem) for problem in verdict.problems]
    if verdict.total > len(lines):
        lines.append(f"… and {verdict.total - len(lines)} more.")
    closing = f"invalid: {verdict.total} problem{'s' if verdict.total > 1 else ''}"
    return "\n".join([*told, *told_kinds(verdict), *lines, closing])
