"""``kakurenbo submit``: hand in an entry, a zip or a folder with the files of its format or of its game."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from games.formats import FORMATS
from kakurenbo.commands.status import follow, located
from kakurenbo.exit_codes import DONE, REFUSED
from kakurenbo.main import UsageError
from kakurenbo.place import ChosenRound, add_place_arguments, find_place
from kakurenbo.site_game import game_of, packed

EXPECTED = "; or ".join(f"{', '.join(spec.upload_names)} ({spec.name})" for spec in FORMATS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("entry", type=Path, help=f"zip, or folder of {EXPECTED}; or of a game")
    parser.add_argument("--note", default="", help="a note to yourself")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="pin the entry that counts now, so that this one does not replace it",
    )
    parser.add_argument("--slot", default="", help="which part of the round it is for, where a game has some")
    parser.add_argument(
        "--variant", type=int, default=0, metavar="N", help="which alternative of the seat it hides, from 0"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only let the site check the files: free, nothing is handed in"
    )
    parser.add_argument("--follow", action="store_true", help="stay until the result is there")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if not arguments.entry.exists():
        raise UsageError(f"{arguments.entry} is neither a zip nor a folder.")
    place = find_place(arguments, "anonymise")
    if game_of(place) is None:
        return _send(arguments, place, _files(arguments.entry), {})
    fields = {"slot": arguments.slot, "variant": str(arguments.variant)}
    with packed(arguments.entry) as archive:
        return _send(arguments, place, {"archive": archive}, fields)


def _send(
    arguments: argparse.Namespace, place: ChosenRound, files: dict[str, Path], fields: dict[str, str]
) -> int:
    if arguments.dry_run:
        return _report(place.client.upload(f"{place.path}entries/check/", files, fields))
    given = {"note": arguments.note, "keep": str(arguments.keep).lower()}
    made = place.client.upload(f"{place.path}entries/", files, {**given, **fields})
    print(f"Entry #{made['number']} (id {made['id']}) of team {made['team']} was received.")
    return follow(place, made["id"]) if arguments.follow else DONE


def _report(verdict: dict[str, Any]) -> int:
    for remark in verdict.get("remarks", ()):
        kind = "note" if remark["accepted"] else remark["certainty"]
        print(f"{kind}: {remark['file']}: {remark['cause']} {remark['advice']}".rstrip())
    if verdict["valid"]:
        print("The files are well formed. Nothing was handed in.")
        return DONE
    lines = [located(problem) for problem in verdict["problems"]]
    left = verdict["problem_total"] - len(lines)
    print("\n".join([*lines, *([f"… and {left} more."] if left else [])]))
    return REFUSED


def _files(entry: Path) -> dict[str, Path]:
    if not entry.is_dir():
        return {"archive": entry}
    for spec in FORMATS:
        if all((entry / name).is_file() for name in spec.upload_names):
            return {file.field: entry / file.name for file in spec.upload_files}
    raise UsageError(f"{entry} holds no entry. Expected {EXPECTED}.")
