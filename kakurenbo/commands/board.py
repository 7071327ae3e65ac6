"""``kakurenbo board``: the leaderboard of a round, its attackers, or the boards of its game."""

from __future__ import annotations

import argparse
import json
from typing import Any

from kakurenbo.place import ChosenRound, add_place_arguments, find_place
from kakurenbo.site_game import game_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--attackers", action="store_true", help="who finds most people, instead")
    parser.add_argument(
        "--site", metavar="URL", help="look at a public board there as a visitor, without a log-in"
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    place = find_place(arguments)
    if game_of(place) is not None:
        return _show_boards(place, arguments.json)
    rows = place.client.pages(f"{place.path}{'attackers' if arguments.attackers else 'leaderboard'}/")
    if arguments.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    elif arguments.attackers:
        print(f"{'rank':>4}  {'found':>7}  {'mean %':>7}  attacker")
        for row in rows:
            print(
                f"{row['rank'] or '–':>4}  {row['hits']:>7}  {row['mean_percent']:>7.1f}  "
                f"{row['name']}{_marks(row)}"
            )
    else:
        print(f"{'rank':>4}  {'total':>9}  {'utility':>8}  {'found':>7}  team")
        for row in rows:
            print(
                f"{row['rank'] or '–':>4}  {_number(row['total'])}  {row['utility']:>8.2f}  "
                f"{'–' if row['hits'] is None else row['hits']:>7}  {row['team']}{_marks(row)}"
            )
    return 0


def _show_boards(place: ChosenRound, as_json: bool) -> int:
    """All boards that a game counts."""
    boards = place.client.get(f"{place.path}boards/")["boards"]
    if as_json:
        print(json.dumps(boards, indent=2, ensure_ascii=False))
        return 0
    for board in boards:
        print(f"{board['name']}\n{'rank':>4}  " + "".join(f"{name:>12}" for name in board["columns"]))
        for row in board["rows"]:
            values = "".join(f"{_figure(row['values'].get(name)):>12}" for name in board["columns"])
            marks = ("" if row["kind"] == "team" else "  (house)") + ("  ← you" if row["is_mine"] else "")
            print(f"{row['place'] or '–':>4}  {values}  {row['name']}{marks}")
    return 0


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _marks(row: dict[str, Any]) -> str:
    return ("  (house)" if row["is_house"] else "") + ("  ← you" if row["is_mine"] else "")


def _number(value: float | None) -> str:
    return f"{'–':>9}" if value is None else f"{value:>9.3f}"
