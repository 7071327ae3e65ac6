"""``kakurenbo targets``: list what your team may attack, or download all of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from kakurenbo.main import UsageError
from kakurenbo.place import add_place_arguments, find_place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", choices=["list", "download"], help="print the targets, or fetch them as a zip")
    parser.add_argument("--out", type=Path, metavar="ZIP", help="where to write (default: ROUND-targets.zip)")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    place = find_place(arguments, "attack")
    if arguments.act == "list":
        for row in place.client.pages(f"{place.path}targets/"):
            people = "" if row["n_people"] is None else f"{row['n_people']:>6} people  "
            print(f"{row.get('key', row['id']):>8}  {people}{row['team']} #{row['number']}")
        return 0
    target = arguments.out or Path(f"{place.round}-targets.zip")
    try:
        size = place.client.download(f"{place.path}targets.zip", target)
    except OSError as error:
        raise UsageError(f"Cannot write {target}: {error.strerror}.") from error
    print(f"{target}: {size:,} bytes, one folder per target. Name your guesses by the folders: 12.csv.")
    return 0
