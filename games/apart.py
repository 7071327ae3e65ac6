"""A game whose every verb runs in another process, which gets one folder and gives one back."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from games import call
from games.cache import Answers, key_of
from games.call import ANSWER, CALL, FILES
from games.contract.boxes import FolderBox
from games.contract.broken import GameFailed
from games.contract.declaration import Declaration
from games.contract.folders import Reader, Writer
from games.contract.game import Game
from games.contract.guard import require_type
from games.contract.values import (
    Bars,
    Board,
    Box,
    Cell,
    Curves,
    Drawing,
    Fault,
    Figures,
    FileVerdict,
    Heatmap,
    Hidden,
    Out,
    Question,
    Result,
    Seat,
    Target,
    Verdict,
    World,
    Wrong,
)

Run = Callable[[str, Path, Path, Path], str]
"""Runs ``games.call`` for a verb, with the folders of the game, of the call and of the answer.

Returns what the process wrote to its log.
"""
DRAWINGS = (Bars, Heatmap, Curves)
SECONDS = 600
ANSWER_BYTES = 4 * 1024 * 1024
"""Of the JSON of an answer; arrays and files are beside it."""


def run_beside(verb: str, game: Path, inside: Path, outside: Path) -> str:
    """Run the call in a plain process. It is apart, not contained: only for games that a site trusts."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    command = [sys.executable, "-m", "games.call", *map(str, (game, inside, outside))]
    try:
        done = subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.SubprocessError as error:
        raise GameFailed(verb, str(getattr(error, "stderr", "") or error)) from error
    return done.stderr


def run_here(verb: str, game: Path, inside: Path, outside: Path) -> str:
    """Run the call in this process, through the same folders."""
    call.main(list(map(str, (game, inside, outside))))
    return ""


class ApartGame(Game):
    """The same verbs, each by a call of its own.

    ``answers`` remembers what calls gave; ``identity`` then stands for all bytes of the game.
    """

    def __init__(
        self,
        folder: Path,
        declaration: Declaration,
        run: Run = run_beside,
        answers: Answers | None = None,
        identity: str = "",
    ) -> None:
        self.folder, self.declaration, self.run = folder, declaration, run
        self.answers, self.identity = answers, identity
        self.log = ""

    def _called(self, verb: str, *arguments: Any, out: Out | None = None) -> Any:
        with tempfile.TemporaryDirectory() as place:
            inside, outside = Path(place, "in"), Path(place, "out")
            inside.mkdir()
            outside.mkdir()
            Writer(inside).write(CALL, (verb, arguments))
            key = key_of(self.identity, inside) if self.answers else ""
            is_known = self.answers is not None and self.answers.fetch(key, outside)
            self.log = "" if is_known else self.run(verb, self.folder, inside, outside)
            given = Reader(outside, ANSWER_BYTES).read(ANSWER)
            if out is not None:
                self._take(FolderBox(outside / FILES), out)
            if self.answers is not None and not is_known:
                self.answers.keep(key, outside)
            return given

    def _take(self, written: FolderBox, out: Out) -> None:
        for name in written.names() if written.folder.is_dir() else ():
            with written.open(name) as source, out.create(name) as target:
                target.write(source.read())

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        return require_type(self._called("build", sources, params, rng, out=out), dict)

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        self._called("allot", world, seat, rng, out=out)

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        return _all_of(self._called("targets", world), tuple)

    def check(self, world: World, entry: Target) -> Iterator[Wrong]:
        return _all_of(self._called("check", world, entry), Fault, FileVerdict)

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        self._called("publish", world, entry, rng, out=out)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        return require_type(self._called("measure", world, entry, names), dict)

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        return require_type(self._called("verdict", rule, measures, params), Verdict)

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        return _all_of(self._called("cover", world, by, answer, targets), tuple, FileVerdict)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        return require_type(self._called("judge", world, challenge, by, target, answer), Result)

    def judge_all(self, world: World, questions: Sequence[Question]) -> Iterator[Result]:
        """In one process."""
        return _all_of(self._called("judge_all", world, tuple(questions)), Result)

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        return _all_of(self._called("pictures", world, entry), *DRAWINGS)

    def answer_pictures(self, world: World, question: Question, result: Result) -> Iterator[Drawing]:
        return _all_of(self._called("answer_pictures", world, question, result), *DRAWINGS)

    def answer_pictures_all(
        self, world: World, judged: Sequence[tuple[Question, Result]]
    ) -> Iterator[Sequence[Drawing]]:
        """In one process."""
        drawn = _all_of(self._called("answer_pictures_all", world, tuple(judged)), tuple)
        return (tuple(_all_of(one, *DRAWINGS)) for one in drawn)

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        self._called("attack", name, world, by, targets, rng, out=out)

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        return require_type(self._called("oracle", world, by, targets, rng, out=out), bool)

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        self._called("anonymize", name, world, seat, params, rng, out=out)

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        return _all_of(self._called("tally", rule, params, hidden, tuple(cells()), earlier), Board)


def _all_of(values: Any, *wanted: type) -> Iterator[Any]:
    return iter([require_type(value, *wanted) for value in require_type(values, tuple)])
