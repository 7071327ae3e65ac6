"""Entry point of the ``kakurenbo`` command. Its exit codes are in `kakurenbo.exit_codes`."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from kakurenbo import exit_codes
from kakurenbo.packages import activate

COMMANDS: dict[str, str] = {
    "anonymize": "Make an entry from an original with a house method.",
    "attack": "Guess who is who in an entry, by a house attack, all of them, or your own program.",
    "attack-submit": "Hand in guesses or a program against the targets; also written `attack submit`.",
    "backup": "Write a whole installation, database and files, into one verified zip while it runs.",
    "board": "Show the leaderboard of a round on a site.",
    "brand-metrics": "Measure market shares, loyalty, switching and brand choice in a panel; compare two.",
    "check": "Check the files of an original or of an entry.",
    "contest": "Check a contest's bundle; create, export, archive or import a contest on an installation.",
    "data": "Build the tables of a contest: from the public retail file, or generated.",
    "demo": "Create a contest of a game on a small world, or a whole season with its story.",
    "doctor": "Report what is wrong with an installation and how to fix it.",
    "explain": "Show the tree that gh-tree grows on a table: each node and every split considered.",
    "fetch": "Download what your team may read of a round that is played by a game, as a folder.",
    "frontier": "Compare risk and loss of protections: gh-tree and its peers, or κ and its benchmarks.",
    "game": "List, show, write and test games: the rules of kinds of contests, as packages.",
    "house": "Let the house methods and attacks of a site make an entry or an answer for your team.",
    "judge": "Compare a guess with the truth of an entry.",
    "kit": "Check, score and attack an entry in a round's kit, with the platform's own numbers.",
    "list": "List the measures, risks, attacks or anonymizers.",
    "masking": "Compare a masked table with its original: margins, relations, pictures.",
    "login": "Store a site and a token for the commands that talk to it.",
    "restore": "Restore a backup into an empty installation.",
    "risk": "Measure how exposed the people of any table are.",
    "score": "Measure how useful an entry still is and whether it is within the limits.",
    "status": "Show how far an entry on a site is, and its outcome.",
    "submit": "Hand in an entry on a site.",
    "targets": "List or download what your team may attack on a site.",
    "tune": "Search a method's parameters against limits and attacks; print the utility-risk frontier.",
    "warm-up": "Compile the numerical kernels once, so that the first run is as fast as the next.",
}
"""Name of a command → its one line of help. The module of the same name in kakurenbo/commands does it."""


class UsageError(Exception):
    """The user's call or input cannot be used; the text says why, where, got, expected."""

    exit_code = exit_codes.USAGE


class Version(argparse.Action):
    """Prints the version of the installed package, which is looked up only where somebody asks for it."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"{parser.prog} {metadata.version('kakurenbo')}")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    activate()
    _print_in_any_encoding()
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:2] == ["attack", "submit"]:
        words[:2] = ["attack-submit"]
    parser = argparse.ArgumentParser(
        prog="kakurenbo",
        description="Hide people in data, hunt for people in the data of others.",
        epilog=exit_codes.listed(),
    )
    parser.add_argument("--version", action=Version, help="Print the version and exit.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, line in COMMANDS.items():
        sub = commands.add_parser(name, help=line, description=line)
        # Only the chosen command is imported: a command that needs no solver starts without one.
        if name == chosen:
            module = _module_of(name, words)
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    arguments = parser.parse_args(words)
    try:
        return int(arguments.run(arguments))
    except UsageError as error:
        print(f"kakurenbo: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("kakurenbo: interrupted; nothing was left half-written.", file=sys.stderr)
        return exit_codes.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`| head`): end quietly, as other tools do.
        with Path(os.devnull).open("wb") as sink:
            os.dup2(sink.fileno(), sys.stdout.fileno())
        return exit_codes.PIPE_CLOSED


def _print_in_any_encoding() -> None:
    """A terminal that has no κ or ′ (Latin 1, ASCII) shows its number instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


ON_ROUNDS = ("anonymize", "attack", "check", "judge", "score")
"""Commands that also work on a round of any game in a folder, where `--round` names one."""


def _module_of(name: str, words: Sequence[str]) -> Any:
    """What adds the arguments of a command and runs it."""
    if name in ON_ROUNDS and any(word == "--round" or word.startswith("--round=") for word in words):
        return importlib.import_module("kakurenbo.round_commands").COMMANDS[name]
    try:
        return importlib.import_module(f"kakurenbo.commands.{name.replace('-', '_')}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "contest":
            raise
        print(f"kakurenbo: `{name}` needs the platform; this is the library of a kit.", file=sys.stderr)
        raise SystemExit(exit_codes.USAGE) from None


if __name__ == "__main__":
    sys.exit(main())
