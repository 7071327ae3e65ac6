"""``kakurenbo doctor``: what is wrong with an installation, and how to fix it."""

from __future__ import annotations

import argparse

from kakurenbo.installation import manage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--only", metavar="CHECKS", help="some checks, separated by commas")
    parser.add_argument("--skip", metavar="CHECKS", help="all but these checks")


def run(arguments: argparse.Namespace) -> int:
    return manage("doctor", *["--json"] * arguments.json, only=arguments.only, skip=arguments.skip)
