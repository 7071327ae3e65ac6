"""``kakurenbo data``: build the tables of a contest in one of the ways that its game offers."""

from __future__ import annotations

import argparse
import sys

from games.formats.commands.data import COUNTED, add_sources, build_data
from kakurenbo.main import UsageError

BAR = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_sources(parser)


def run(arguments: argparse.Namespace) -> int:
    try:
        print(build_data(arguments, _progress))
    except ValueError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"Cannot use {error.filename}: {error.strerror}.") from error
    return 0


def _progress(done: int, total: int) -> None:
    """Draw a bar, where somebody watches."""
    if sys.stderr.isatty():
        filled = BAR * done // total
        end = "\n" if done == total else ""
        print(f"\r[{'#' * filled}{' ' * (BAR - filled)}] {done}/{total} {COUNTED}", end=end, file=sys.stderr)
