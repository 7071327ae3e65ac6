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
from games.call import ANSWER, CALL, FILES
from games.contract.boxes import FolderBox
from games.contract.declaration import Declaration
from games.contract.folders import BadAnswer, Reader, Writer
from games.contract.game import Game
from games.contract.values import (
    Board,
    Box,
    Cell,
    Fault,
    Figures,
    Hidden,
    Out,
    Result,
    Seat,
    Target,
    Verdict,
    World,
)

Run = Callable[[Path, Path, Path], None]
"""Runs ``games.call`` with the folders of the game, of the call and of the answer."""
SECONDS = 600


class GameFailed(RuntimeError):
    """The process ended badly; ``log`` is for the organiser alone."""

    def __init__(self, verb: str, log: str) -> None:
        super().__init__(f"The game failed in {verb}.")
        self.log = log


def run_beside(game: Path, inside: Path, outside: Path) -> None:
    """Run the call in a plain process. It is apart, not contained: only for games that a site trusts."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    command = [sys.executable, "-m", "games.call", *map(str, (game, inside, outside))]
    subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=SECONDS)


def run_here(game: Path, inside: Path, outside: Path) -> None:
    """Run the call in this process, through the same folders."""
    call.main(list(map(str, (game, inside, outside))))


class ApartGame(Game):
    """The same verbs, each by a call of its own."""

    def __init__(self, folder: Path, declaration: Declaration, run: Run = run_beside) -> None:
        self.folder, self.declaration, self.run = folder, declaration, run

    def _called(self, verb: str, *arguments: Any, out: Out | None = None) -> Any:
        with tempfile.TemporaryDirectory() as place:
            inside, outside = Path(place, "in"), Path(place, "out")
            inside.mkdir()
            outside.mkdir()
            Writer(inside).write(CALL, (verb, arguments))
            try:
                self.run(self.folder, inside, outside)
            except subprocess.SubprocessError as error:
                raise GameFailed(verb, str(getattr(error, "stderr", "") or error)) from error
            if out is not None:
                self._take(FolderBox(outside / FILES), out)
            return Reader(outside).read(ANSWER)

    def _take(self, written: FolderBox, out: Out) -> None:
        for name in written.names() if written.folder.is_dir() else ():
            with written.open(name) as source, out.create(name) as target:
                target.write(source.read())

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        return _typed(self._called("build", sources, params, rng, out=out), dict)

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        self._called("allot", world, seat, rng, out=out)

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        return _all_of(self._called("targets", world), tuple)

    def check(self, world: World, entry: Target) -> Iterator[Fault]:
        return _all_of(self._called("check", world, entry), Fault)

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        self._called("publish", world, entry, rng, out=out)

    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        return _typed(self._called("measure", world, entry, names), dict)

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        return _typed(self._called("verdict", rule, measures, params), Verdict)

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Fault | tuple[str, str]]:
        return _all_of(self._called("cover", world, by, answer, targets), tuple)

    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        return _typed(self._called("judge", world, challenge, by, target, answer), Result)

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        self._called("attack", name, world, by, targets, rng, out=out)

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        return _typed(self._called("oracle", world, by, targets, rng, out=out), bool)

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


def _typed(value: Any, wanted: type) -> Any:
    if not isinstance(value, wanted):
        raise BadAnswer(f"The game gave {type(value).__name__}, expected {wanted.__name__}.")
    return value


def _all_of(values: Any, wanted: type) -> Iterator[Any]:
    return iter([_typed(value, wanted) for value in _typed(values, tuple)])
