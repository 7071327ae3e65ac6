"""PWSCUP 2016: an entry is M′, T′ and the secret P; a guess names a row of M for each row of M′."""

from __future__ import annotations

from typing import Any

import numpy as np

from attacks.attack import Guess
from datasets.tables import NO_GUESS
from games.shop.guessing import Target as Case
from games.shop.playing import ShopGame


class Game(ShopGame):
    format_name = "2016"
    challenge = "who"
    answers = ("Q.csv",)

    def n_released(self, released: Any) -> int:
        return int(released.n_customers)

    def is_sound(self, guess: Guess, case: Case) -> bool:
        ties = guess.tie_class
        if guess.rows.shape != (case.n_released,) or not _within(guess.rows, case.n_original):
            return False
        if not all(_within(members, case.n_original) for members in guess.tie_members):
            return False
        return ties is None or (ties.shape == guess.rows.shape and _within(ties, len(guess.tie_members)))


def _within(rows: np.ndarray, n: int) -> bool:
    return bool(((rows >= NO_GUESS) & (rows < n)).all())
