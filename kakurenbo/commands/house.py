"""``kakurenbo house``: let the site's house methods make an entry, or its house attacks an answer."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from kakurenbo.commands.status import POLL_SECONDS, follow
from kakurenbo.exit_codes import DONE, REFUSED
from kakurenbo.main import UsageError
from kakurenbo.place import ChosenRound, add_place_arguments, find_place


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", choices=("list", "hide", "seek"), help="what to do")
    parser.add_argument("method", nargs="?", default="", help="a method (hide) or an attack (seek) of `list`")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the method"
    )
    parser.add_argument("--seed", type=int, help="default: a secret one is drawn")
    parser.add_argument("--target", action="append", type=int, default=[], metavar="ID", help="default: all")
    parser.add_argument("--slot", default="", help="which part of the round it is for, where a game has some")
    parser.add_argument("--note", default="", help="a note to yourself")
    parser.add_argument("--submit", action="store_true", help="hand it in once it is made")
    parser.add_argument("--out", type=Path, metavar="ZIP", help="write the files that were made")
    add_place_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    place = find_place(arguments, "attack" if arguments.act == "seek" else "anonymise")
    if arguments.act == "list":
        return _list(place)
    if not arguments.method:
        raise UsageError("Name a method or an attack; `kakurenbo house list` shows them.")
    if not arguments.submit and arguments.out is None:
        raise UsageError("Say what to do with it: --submit, --out ZIP, or both.")
    order = _finished(place, place.client.post(f"{place.path}orders/", _request(arguments)))
    if order["state"] == "failed":
        print(f"{order['reason']}\nNothing was handed in, and no attempt was used.")
        return REFUSED
    if arguments.out is not None:
        size = place.client.download(f"{place.path}orders/{order['id']}/files.zip", arguments.out)
        print(f"{arguments.out}: {size} bytes, made with seed {order['seed']}.")
    if order["attack"] is not None:
        print(f"Attack {order['attack']} was received; follow it on the page “Seek”.")
    return follow(place, order["entry"]) if order["entry"] is not None else DONE


def _request(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "what": "entry" if arguments.act == "hide" else "answer",
        "method": arguments.method,
        "parameters": dict(_pair(text) for text in arguments.set),
        "seed": arguments.seed,
        "slot": arguments.slot,
        "targets": arguments.target,
        "note": arguments.note,
        "hand_in": arguments.submit,
    }


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"--set expects NAME=VALUE. Got {text!r} instead.")
    return name.strip(), value.strip()


def _finished(place: ChosenRound, order: dict[str, Any]) -> dict[str, Any]:
    """Wait until the order is made or has failed, and print where it is in the queue meanwhile."""
    last = ""
    while order["state"] == "waiting":
        number = order["queue_position"]
        line = f"waiting, place {number} in the queue" if number else "being made"
        if line != last:
            print(line, flush=True)
            last = line
        time.sleep(POLL_SECONDS)
        order = place.client.get(f"{place.path}orders/{order['id']}/")
    return order


def _list(place: ChosenRound) -> int:
    offers = place.client.get(f"{place.path}house/")
    for act, kind in (("hide", "methods"), ("seek", "attacks")):
        for offer in offers[kind]:
            print(f"{act} {offer['name']}: {offer['title']}")
            for one in offer["parameters"]:
                print(f"    {one['name']}: {one['expected']} (default {one['default']}). {one['meaning']}")
    return 0
