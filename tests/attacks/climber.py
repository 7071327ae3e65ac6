"""Attackers who know nothing but the answers: they settle P by asking, as teams of real contests did."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from datasets.tables import Integers

Answer = Callable[[Integers], int]
"""A guess file in, what the platform tells of it out; a row below 0 is no guess."""


@dataclass
class Asked:
    """An oracle that keeps what it was asked. ``bands`` of 0 tells the number of hits itself."""

    truth: Integers
    bands: int = 0
    most: int = 100_000
    guesses: list[Integers] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)

    def __call__(self, guess: Integers) -> int:
        if len(self.guesses) >= self.most:
            raise OutOfAttempts
        found = int(np.count_nonzero(guess == self.truth))
        self.guesses.append(guess.copy())
        self.hits.append(found)
        return min(self.bands - 1, self.bands * found // len(self.truth)) if self.bands else found


class OutOfAttempts(Exception):
    """The round takes no more guesses of the team."""


def climb(ask: Answer, n: int, rng: np.random.Generator) -> Integers:
    """Settle the rows one after the other: try a shift of all open rows, and halve it where hits are.

    A count of hits is asked for ever smaller parts of a try, so that each hit costs about log2 n guesses.
    What is known for sure is kept in every guess: the best so far, with few rows changed.
    """
    known = np.full(n, -1)
    answers: dict[bytes, int] = {}

    def remembered(guess: Integers) -> int:
        key = guess.tobytes()
        if key not in answers:
            answers[key] = ask(guess)
        return answers[key]

    with contextlib.suppress(OutOfAttempts):
        _settle(remembered, n, rng, known)
    return known


def _settle(ask: Answer, n: int, rng: np.random.Generator, known: Integers) -> None:
    tried: set[tuple[int, int]] = set()
    while (known < 0).any():
        rows = np.flatnonzero(known < 0)
        free = np.setdiff1d(np.arange(n), known[known >= 0])
        rng.shuffle(rows)
        rng.shuffle(free)
        pairs = [(int(row), int(who)) for row, who in zip(rows, free, strict=True)]
        pairs = [pair for pair in pairs if pair not in tried]
        if not pairs:
            continue
        tried.update(pairs)
        _locate(ask, known, pairs, ask(_with(known, pairs)) - ask(known))


def _locate(ask: Answer, known: Integers, pairs: list[tuple[int, int]], hits: int) -> None:
    """Which of the pairs are the hits that an answer has counted."""
    if hits <= 0:
        return
    if len(pairs) == 1:
        known[pairs[0][0]] = pairs[0][1]
        return
    half = len(pairs) // 2
    first = ask(_with(known, pairs[:half])) - ask(known)
    _locate(ask, known, pairs[:half], first)
    _locate(ask, known, pairs[half:], hits - first)


def _with(known: Integers, pairs: list[tuple[int, int]]) -> Integers:
    guess = known.copy()
    for row, who in pairs:
        guess[row] = who
    return guess


def swap_two(ask: Answer, start: Integers, rng: np.random.Generator, files: int) -> Integers:
    """The plainest climber: exchange two rows of the best guess, and keep it where the answer rises."""
    best, most = start.copy(), ask(start)
    for _ in range(files - 1):
        guess = best.copy()
        i, j = rng.choice(len(best), 2, replace=False)
        guess[i], guess[j] = guess[j], guess[i]
        found = ask(guess)
        if found >= most:
            best, most = guess, found
    return best
