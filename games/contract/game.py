"""What a game does: the verbs, each with what it does where a game says nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from games.contract.declaration import Declaration
from games.contract.defaults import cover_by_files, publish_uploads, tally_by_worst_risk, verdict_by_limits
from games.contract.values import (
    Board,
    Box,
    Cell,
    Drawing,
    Figures,
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


class Game(ABC):
    """The code of a game beside its declaration. Only what its contest needs is overridden."""

    declaration: Declaration

    def build(
        self, sources: Box, params: Mapping[str, Any], rng: np.random.Generator, out: Out
    ) -> Mapping[str, Any]:
        """Make the files of the round from what organisers brought; returns facts for the data page."""
        return {}

    def allot(self, world: World, seat: int, rng: np.random.Generator, out: Out) -> None:
        """Make the files of one seat, public and secret."""
        return

    def targets(self, world: World) -> Iterator[tuple[str, Mapping[str, str]]]:
        """The organisers' own targets: their keys and labels. `publish` makes the files of each."""
        return iter(())

    def check(self, world: World, entry: Target) -> Iterator[Wrong]:
        """What the declaration of the files cannot say. The declared checks have passed."""
        return iter(())

    def publish(self, world: World, entry: Target, rng: np.random.Generator, out: Out) -> None:
        """Make what attackers see of an entry, and the secret truth about it."""
        publish_uploads(self.declaration, entry, out)

    @abstractmethod
    def measure(self, world: World, entry: Target, names: Sequence[str]) -> Figures:
        """The measures of these names."""

    def verdict(self, rule: str, measures: Figures, params: Mapping[str, Any]) -> Verdict:
        """Whether an entry may take part, and how useful it is."""
        return verdict_by_limits(self.declaration, measures, params)

    def cover(
        self, world: World, by: Seat | None, answer: Box, targets: Sequence[Target]
    ) -> Iterator[Wrong | tuple[str, str]]:
        """What is wrong with an answer, and which pairs of target and challenge it answers."""
        return cover_by_files(self.declaration, answer, targets)

    @abstractmethod
    def judge(self, world: World, challenge: str, by: Seat | None, target: Target, answer: Box) -> Result:
        """Compare an answer with the secret."""

    def judge_all(self, world: World, questions: Sequence[Question]) -> Iterator[Result]:
        """The results of several questions, in their order: what they share is read once."""
        return (self.judge(world, *question) for question in questions)

    def pictures(self, world: World, entry: Target) -> Iterator[Drawing]:
        """The declared pictures of an entry, from all that `measure` sees."""
        return iter(())

    def answer_pictures(self, world: World, question: Question, result: Result) -> Iterator[Drawing]:
        """The declared pictures of an answer, from all that `judge` saw and what it gave."""
        return iter(())

    def answer_pictures_all(
        self, world: World, judged: Sequence[tuple[Question, Result]]
    ) -> Iterator[Sequence[Drawing]]:
        """Those of several answers, in their order."""
        return (tuple(self.answer_pictures(world, *one)) for one in judged)

    def attack(
        self, name: str, world: World, by: Seat | None, targets: Sequence[Target],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        """Answer as the house does, from public files and those of the seat alone."""
        raise NotImplementedError(f"{self.declaration.name} has no attack {name}.")

    def oracle(
        self, world: World, by: Seat, targets: Sequence[Target], rng: np.random.Generator, out: Out
    ) -> bool:
        """Answer from the secrets, for the laws alone; False where the game does not offer it."""
        return False

    def anonymize(
        self, name: str, world: World, seat: Seat | None, params: Mapping[str, Any],
        rng: np.random.Generator, out: Out,
    ) -> None:  # fmt: skip
        """Make the files of an upload as the house does."""
        raise NotImplementedError(f"{self.declaration.name} has no method {name}.")

    def tally(
        self, rule: str, params: Mapping[str, Any], hidden: Sequence[Hidden],
        cells: Callable[[], Iterator[Cell]], earlier: Mapping[str, Sequence[Board]],
    ) -> Iterator[Board]:  # fmt: skip
        """The boards of a round from all stored results; ``earlier`` holds those of rounds before it."""
        return tally_by_worst_risk(hidden, cells)
