"""Which contest and round a command means: named, remembered at log-in, or the only one there is."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from kakurenbo.client import Client, LogIn, load_log_in
from kakurenbo.main import UsageError


def add_place_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--contest", metavar="SLUG", help="default: as logged in, or the only one")
    parser.add_argument("--round", metavar="SLUG", help="default: as logged in, or the open one")


@dataclass(frozen=True)
class ChosenRound:
    client: Client
    contest: str
    round: str

    @property
    def path(self) -> str:
        return f"contests/{self.contest}/rounds/{self.round}/"


def find_place(arguments: argparse.Namespace, phase: str = "") -> ChosenRound:
    """`phase` is what must be open in the round where none is named."""
    site = getattr(arguments, "site", None)
    log_in = LogIn(site) if site else load_log_in()
    client = Client(log_in)
    contest = arguments.contest or log_in.contest or _only_contest(client)
    round_ = arguments.round or log_in.round or _only_round(client, contest, phase)
    return ChosenRound(client, contest, round_)


def _only_contest(client: Client) -> str:
    slugs = [team["contest"] for team in client.get("me/")["teams"]] if client.log_in.token else []
    slugs = slugs or [row["slug"] for row in client.pages("contests/")]
    if len(slugs) != 1:
        raise UsageError(f"Say which contest with --contest. There are: {', '.join(slugs) or 'none'}.")
    return str(slugs[0])


def _only_round(client: Client, contest: str, phase: str) -> str:
    rounds = client.get(f"contests/{contest}/")["rounds"]
    is_open = [
        row for row in rounds if any(it["is_open"] and phase in ("", it["kind"]) for it in row["phases"])
    ]
    chosen = is_open if len(is_open) == 1 else rounds
    if len(chosen) != 1:
        slugs = ", ".join(row["slug"] for row in rounds) or "none"
        raise UsageError(f"Say which round with --round. There are: {slugs}.")
    return str(chosen[0]["slug"])
