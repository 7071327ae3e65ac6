"""PWSCUP 2017: an entry is A(T), line by line with T; a guess names a customer's pseudonyms of a year."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from datasets.tables import Integers
from games.contract.values import Figures
from games.shop.data.pwscup2017 import DELETED, MONTHS
from games.shop.formats.pwscup2017 import SHARES
from games.shop.guessing import Game2017
from games.shop.guessing import Target as Case
from games.shop.months import MonthsGuess
from games.shop.playing import ShopGame

ONE = "F.csv"
BY_KNOWLEDGE = {f"F{percent}.csv": f"s{percent}" for percent in SHARES.values()}
"""An answer made with each knowledge file, and the number that says how many of the people it finds."""


class Game(ShopGame):
    format_name = "2017"
    challenge = "months"
    answers = (ONE, *BY_KNOWLEDGE)

    def n_released(self, released: Any) -> int:
        """No guess depends on it: people have other pseudonyms every month."""
        return 0

    def joined(self, guesses: Mapping[str, MonthsGuess]) -> MonthsGuess:
        """One table, or one per knowledge file.

        `F.csv` stands for those that have none of their own; without it, nobody is guessed there.
        """
        if set(guesses) == {ONE}:
            return guesses[ONE]
        n = len(next(iter(guesses.values())).tables[0])
        nobody = MonthsGuess((np.full((n, MONTHS), None, dtype=object),))
        others = guesses.get(ONE, nobody)
        return MonthsGuess(tuple(guesses.get(name, others).tables[0] for name in BY_KNOWLEDGE))

    def is_sound(self, guess: MonthsGuess, case: Case) -> bool:
        known = {*case.released().user.labels, DELETED, None}
        return len(guess.tables) > 0 and all(
            table.shape == (case.n_original, MONTHS) and known.issuperset(table.ravel().tolist())
            for table in guess.tables
        )

    def more_numbers(self, guess: MonthsGuess, case: Case, truth: Integers) -> Figures:
        """The share found with each knowledge file, where the guess has a table for each."""
        names = tuple(BY_KNOWLEDGE.values())
        if len(guess.tables) != len(names):
            return dict.fromkeys(names)
        found = Game2017().found_by(guess, case, truth)
        return {name: float(part.mean()) for name, part in zip(names, found, strict=True)}
