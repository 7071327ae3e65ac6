"""``kakurenbo demo``: a contest of a game on a small world, or a season that was played to its end."""

from __future__ import annotations

import argparse

from kakurenbo.installation import manage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "game", nargs="?", help="the name of an installed game; `kakurenbo game list` shows them"
    )
    what.add_argument(
        "--season",
        action="store_true",
        help="practice, final, reveal, awards and archive, with a guided story",
    )


def run(arguments: argparse.Namespace) -> int:
    wanted = ("season_demo",) if arguments.season else ("game_demo", arguments.game)
    return manage("migrate", "--verbosity=0") or manage(*wanted)
