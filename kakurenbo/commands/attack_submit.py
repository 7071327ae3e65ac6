"""``kakurenbo attack submit``: hand in guesses for the targets, an answer to a game, or a re-identifier."""

from __future__ import annotations

import argparse
from pathlib import Path

from kakurenbo.main import UsageError
from kakurenbo.place import add_place_arguments, find_place
from kakurenbo.site_game import packed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=Path,
        help="guesses (12.csv or a zip of such), an answer to a game (zip or folder), or a program",
    )
    parser.add_argument("--program", action="store_true", help="the zip holds a reidentify.py, not guesses")
    parser.add_argument("--dry-run", action="store_true", help="try the program on the practice entry: free")
    parser.add_argument("--note", default="", help="a note to yourself (guesses)")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    file: Path = arguments.file
    if not file.exists():
        raise UsageError(f"There is no file {file}.")
    is_program = arguments.program or arguments.dry_run or file.suffix == ".py"
    place = find_place(arguments, "attack")
    if is_program:
        fields = {"dry_run": "true" if arguments.dry_run else "false"}
        made = place.client.upload(f"{place.path}programs/", {"program": file}, fields)
    else:
        with packed(file) as archive:
            made = place.client.upload(
                f"{place.path}guesses/", {"archive": archive}, {"note": arguments.note}
            )
    print(f"{made['label']} (id {made['id']}) was received; follow it on the page “Seek”.")
    return 0
