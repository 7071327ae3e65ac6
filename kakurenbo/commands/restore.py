"""``kakurenbo restore``: a backup into an empty installation."""

from __future__ import annotations

import argparse

from kakurenbo.installation import manage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the zip that `kakurenbo backup` wrote")


def run(arguments: argparse.Namespace) -> int:
    return manage("restore", arguments.file)
