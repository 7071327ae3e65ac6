"""``kakurenbo demo``: a contest of a game on a small world, with sample entries, in this installation."""

from __future__ import annotations

import argparse

from kakurenbo.installation import manage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", help="the name of an installed game; `kakurenbo game list` shows them")


def run(arguments: argparse.Namespace) -> int:
    return manage("migrate", "--verbosity=0") or manage("game_demo", arguments.game)
