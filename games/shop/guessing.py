"""One game per format: what a guess is, how it is checked and judged, and which house attacks play it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attacks import guess_file
from attacks.attack import Guess, HouseAttack
from attacks.evaluate import Judgement, judge, wilson
from datasets.problems import Verdict
from datasets.reader import Source
from datasets.tables import NO_GUESS, Integers
from games.shop.answers import Answer
from games.shop.attacks.registry import ATTACKS, ATTACKS_2017, ATTACKS_2018
from games.shop.data.check import check_guess
from games.shop.data.guesses import check_answer, check_months
from games.shop.data.pwscup2017 import truth_table
from games.shop.formats import Format, find_format
from games.shop.months import MonthsGuess

STARTERS = Path(__file__).parent / "starters"
"""Working re-identifiers for teams to start from, one per format."""


@dataclass(frozen=True)
class Target:
    """An entry under attack. The tables are read only by games that need them."""

    n_original: int
    n_released: int
    original: Callable[[], Any]
    released: Callable[[], Any]


@dataclass(frozen=True, eq=False)
class Outcome:
    """The verdict, how many people the guess claims to know, and which customers it found."""

    judgement: Judgement
    guesses: int
    found: Integers

    @property
    def numbers(self) -> dict[str, float]:
        """What was counted besides the risk, by name."""
        judged = self.judgement
        counts = {"hits": int(judged.hits), "guesses": int(self.guesses)}
        return {**counts, "expected_hits": float(judged.expected_hits)}


class Game(ABC):
    """How entries of one format are attacked."""

    format: ClassVar[Format]
    challenge: ClassVar[str]
    """The name of the one question that attackers answer."""
    attacks: ClassVar[tuple[HouseAttack, ...]]
    template: ClassVar[Path]

    @abstractmethod
    def check(self, file: Source, target: Target) -> tuple[Any, Verdict]:
        """Read a guess file; the guess is None where there are problems."""

    @abstractmethod
    def as_bytes(self, guess: Any) -> bytes:
        """All of a house attack's guess, for a judge on another machine."""

    @abstractmethod
    def from_bytes(self, content: bytes) -> Any: ...

    @abstractmethod
    def right(self, target: Target, truth: Integers) -> Any:
        """The guess that finds everybody in a neutral entry."""

    @abstractmethod
    def judge(self, guess: Any, target: Target, truth: Integers) -> Outcome:
        """Compare a guess with the truth of a neutral entry."""


class Game2016(Game):
    """Which row of M is each row of M′?"""

    format = find_format("2016")
    challenge = "who"
    attacks = ATTACKS
    template = STARTERS / "reidentify.py"

    def check(self, file: Source, target: Target) -> tuple[Guess | None, Verdict]:
        rows, verdict = check_guess(file, target.n_released, target.n_original)
        return (None if rows is None else Guess(rows)), verdict

    def as_bytes(self, guess: Guess) -> bytes:
        return guess_file.as_bytes(guess)

    def from_bytes(self, content: bytes) -> Guess:
        return guess_file.from_bytes(content)

    def right(self, target: Target, truth: Integers) -> Guess:
        return Guess(truth)

    def judge(self, guess: Guess, target: Target, truth: Integers) -> Outcome:
        found = np.sort(truth[guess.rows == truth])
        claimed = int((np.asarray(guess.rows) != NO_GUESS).sum())
        return Outcome(judge(guess, truth, target.n_original), claimed, found)


class Game2017(Game):
    """Which pseudonym has each customer in each of twelve months? All twelve must be right."""

    format = find_format("2017")
    challenge = "months"
    attacks = ATTACKS_2017
    template = STARTERS / "reidentify_2017.py"

    def check(self, file: Source, target: Target) -> tuple[MonthsGuess | None, Verdict]:
        customers = self.format.people_ids(target.original())
        table, verdict = check_months(file, customers, target.released().user.labels)
        return (None if table is None else MonthsGuess((table,))), verdict

    def as_bytes(self, guess: MonthsGuess) -> bytes:
        return json.dumps([table.tolist() for table in guess.tables]).encode()

    def from_bytes(self, content: bytes) -> MonthsGuess:
        return MonthsGuess(tuple(np.array(table, dtype=object) for table in json.loads(content)))

    def right(self, target: Target, truth: Integers) -> MonthsGuess:
        original, released, _ = self.format.measured(target.original(), target.released(), truth)
        return MonthsGuess((truth_table(original, released).pseudonyms,))

    def found_by(self, guess: MonthsGuess, target: Target, truth: Integers) -> npt.NDArray[np.bool_]:
        """Which customers are found: a row per table of the guess."""
        (right,) = self.right(target, truth).tables
        return np.array([np.asarray(table == right).all(axis=1) for table in guess.tables])

    def judge(self, guess: MonthsGuess, target: Target, truth: Integers) -> Outcome:
        """With several knowledge files the share is the mean, and hits the mean rounded to whole people."""
        found = self.found_by(guess, target, truth)
        n = found.shape[1]
        total, tries = int(found.sum()), len(guess.tables)
        hits = (2 * total + tries) // (2 * tries)
        rate = total / (tries * n) if n else 0.0
        judgement = Judgement(
            hits, n, rate, *wilson(hits, n), 0.0, total / tries, np.zeros(0, dtype=np.int64)
        )
        return Outcome(judgement, guess.n_claimed, np.flatnonzero(found.any(axis=0)))


class Game2018(Game):
    """Which pseudonym is a customer? Leaving a customer out costs nothing, and each claim counts."""

    format = find_format("2018")
    challenge = "pid"
    attacks = ATTACKS_2018
    template = STARTERS / "reidentify_2018.py"

    def check(self, file: Source, target: Target) -> tuple[Answer | None, Verdict]:
        customers = self.format.people_ids(target.original())
        pseudonym, verdict = check_answer(file, customers, target.released().id.labels)
        return (None if pseudonym is None else Answer(pseudonym)), verdict

    def as_bytes(self, guess: Answer) -> bytes:
        return json.dumps(guess.pseudonym.tolist()).encode()

    def from_bytes(self, content: bytes) -> Answer:
        return Answer(np.array(json.loads(content), dtype=np.int64))

    def right(self, target: Target, truth: Integers) -> Answer:
        original, released = target.original(), target.released()
        right = np.full(original.id.n_labels, NO_GUESS, dtype=np.int64)
        right[original.id.codes[truth]] = released.id.codes
        return Answer(right)

    def judge(self, guess: Answer, target: Target, truth: Integers) -> Outcome:
        right = self.right(target, truth).pseudonym
        hit = (guess.pseudonym == right) & (guess.pseudonym != NO_GUESS)
        hits, n = int(hit.sum()), target.released().id.n_labels
        baseline = 1 / n if n else 0.0
        rate = hits / n if n else 0.0
        judgement = Judgement(hits, n, rate, *wilson(hits, n), baseline, float(hits), np.sort(right[hit]))
        return Outcome(judgement, guess.n_claimed, np.flatnonzero(hit))


GAMES: tuple[Game, ...] = (Game2016(), Game2017(), Game2018())


def find_game(format_name: str) -> Game:
    """The game of a format.

    >>> [attack.name for attack in find_game("2018").attacks]
    ['re-cells', 're-counts']
    """
    for game in GAMES:
        if game.format.name == format_name:
            return game
    raise KeyError(f"There is no game of the format {format_name!r}.")
