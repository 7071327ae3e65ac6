"""What is wrong with an upload or an answer: by the declaration of its files, then by the game's own verbs.

The platform, the command line and the laws check in this one way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from datasets.problems import MISSING_FILE, Problem
from datasets.reader import Source
from games.contract.declaration import Declaration, File, Scope
from games.contract.files import Lookup, check_files
from games.contract.game import Game
from games.contract.messages import verdict_of
from games.contract.values import Box, Fault, FileVerdict, Seat, Target, World

Place = tuple[Box, Scope]
"""Where files are that others refer to."""


class Covered(NamedTuple):
    """The verdict on an answer, and the pairs of target and challenge that it answers."""

    verdict: FileVerdict
    pairs: tuple[tuple[str, str], ...] = ()


def lookup_in(declared: Declaration, places: Sequence[Place]) -> Lookup:
    """Finds the files that declarations refer to in some boxes, in their order."""

    def lookup(name: str) -> tuple[File, Source] | None:
        for box, scope in places:
            if name in box.names():
                file = declared.file(name, scope)
                return None if file is None else (file, box.open(name))
        return None

    return lookup


def check_entry(game: Game, world: World, entry: Target, lookup: Lookup) -> FileVerdict:
    """What is wrong with the files of an entry."""
    declared = game.declaration
    checked = check_files(declared.files_of("entry", "upload"), entry.upload, lookup, slot=entry.slot)
    if not checked.verdict.ok:
        return checked.verdict
    return verdict_of(declared, game.check(world, entry))


def check_answer(
    game: Game, world: World, by: Seat | None, answer: Box, targets: Sequence[Target], lookup: Lookup
) -> Covered:
    """What is wrong with an answer as a whole, or which cells it fills."""
    files = game.declaration.files_of("answer")
    given = [file for file in files if any(map(file.pattern.fullmatch, answer.names()))]
    if not given:
        expected = ", ".join(file.name for file in files)
        missing = Problem(expected, None, None, None, MISSING_FILE(name=expected))
        return Covered(FileVerdict.of(missing))
    keys = tuple(target.key for target in targets)
    checked = check_files([_optional(file) for file in given], answer, lookup, keys)
    if not checked.verdict.ok:
        return Covered(checked.verdict)
    said = list(game.cover(world, by, answer, targets))
    wrong = [one for one in said if isinstance(one, Fault | FileVerdict)]
    pairs = tuple(one for one in said if not isinstance(one, Fault | FileVerdict))
    verdict = verdict_of(game.declaration, wrong)
    return Covered(verdict, pairs if verdict.ok else ())


def _optional(file: File) -> File:
    """An answer may leave targets out where each has a file of its own."""
    return replace(file, required="{target}" not in file.name)
