"""``kakurenbo backup``: a whole installation, database and files, in one verified zip."""

from __future__ import annotations

import argparse

from kakurenbo.installation import manage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, metavar="FILE", help="FILE.zip, for your eyes only")


def run(arguments: argparse.Namespace) -> int:
    return manage("backup", out=arguments.out)
