"""``kakurenbo submit``: hand in an entry, a zip or a folder with M.csv, T.csv and P.csv."""

from __future__ import annotations

import argparse
from pathlib import Path

from kakurenbo.commands.status import follow
from kakurenbo.main import UsageError
from kakurenbo.place import add_place_arguments, find_place

PARTS = {"master": "M.csv", "transactions": "T.csv", "truth": "P.csv"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("entry", type=Path, help="zip, or folder of M.csv, T.csv and P.csv")
    parser.add_argument("--note", default="", help="a note to yourself")
    parser.add_argument("--follow", action="store_true", help="stay until the result is there")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    files = _files(arguments.entry)
    place = find_place(arguments, "anonymise")
    made = place.client.upload(f"{place.path}entries/", files, {"note": arguments.note})
    print(f"Entry #{made['number']} (id {made['id']}) of team {made['team']} was received.")
    return follow(place, made["id"]) if arguments.follow else 0


def _files(entry: Path) -> dict[str, Path]:
    if not entry.is_dir():
        if not entry.is_file():
            raise UsageError(f"{entry} is neither a zip nor a folder.")
        return {"archive": entry}
    files = {field: entry / name for field, name in PARTS.items()}
    absent = [path.name for path in files.values() if not path.is_file()]
    if absent:
        raise UsageError(f"{entry} lacks {', '.join(absent)}. An entry has M.csv, T.csv and P.csv.")
    return files
