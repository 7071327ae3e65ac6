"""``kakurenbo fetch``: download what your team may read of a round that is played by a game."""

from __future__ import annotations

import argparse
from pathlib import Path

from games.round_folder import BadRound
from kakurenbo.main import UsageError
from kakurenbo.output import whole_folder
from kakurenbo.place import add_place_arguments, find_place
from kakurenbo.site_game import game_of, write_readable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new folder")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    place = find_place(arguments)
    game = game_of(place)
    if game is None:
        raise UsageError(
            f"The round {place.round} is not played by a game; its data are on the page “Data”, "
            "its targets come with `kakurenbo targets download`."
        )
    try:
        with whole_folder(arguments.out) as draft:
            write_readable(place, game, draft)
    except (BadRound, ValueError) as error:
        raise UsageError(f"The site sent what cannot be stored here: {error}") from error
    except OSError as error:
        raise UsageError(f"Cannot write {arguments.out}: {error.strerror}.") from error
    print(f"{arguments.out}: a round of {game['name']} as you may read it now.")
    seat = "" if game["seat"] is None else f" --seat {game['seat']}"
    print(f"Other commands take it with --round {arguments.out}{seat}.")
    return 0
