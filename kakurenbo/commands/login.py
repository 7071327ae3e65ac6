"""``kakurenbo login``: store a site and a token for the commands that talk to it."""

from __future__ import annotations

import argparse
import os
import sys

from kakurenbo.client import Client, LogIn, save_log_in
from kakurenbo.main import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", help="the site's address, such as https://contest.example")
    parser.add_argument("--token", help="from the page “Tokens”; `-` reads it from the standard input")
    parser.add_argument("--contest", default="", metavar="SLUG", help="the contest that commands mean")
    parser.add_argument("--round", default="", metavar="SLUG", help="the round that commands mean")


def run(arguments: argparse.Namespace) -> int:
    token = arguments.token or os.environ.get("KAKURENBO_TOKEN", "")
    if token == "-":  # noqa: S105  # not a password: where to read it
        token = sys.stdin.readline()
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable():
        raise UsageError("A token is needed: --token TOKEN, --token - or the variable KAKURENBO_TOKEN.")
    log_in = LogIn(arguments.url.rstrip("/"), token, arguments.contest, arguments.round)
    me = Client(log_in).get("me/")
    path = save_log_in(log_in)
    print(f"Logged in as {me['name']} with the token {me['token']!r} ({', '.join(me['scopes'])}).")
    print(f"Kept in {path}, readable by you only. It expires at {me['expires_at']}.")
    return 0
