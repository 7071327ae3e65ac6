"""PWSCUP 2018: an entry is A, line by line with T; a guess claims the pseudonyms of some customers."""

from __future__ import annotations

from typing import Any

from datasets.tables import NO_GUESS
from games.shop.answers import Answer
from games.shop.guessing import Target as Case
from games.shop.playing import ShopGame


class Game(ShopGame):
    format_name = "2018"
    challenge = "pid"
    answers = ("F.csv",)

    def n_released(self, released: Any) -> int:
        return int(released.id.n_labels)

    def is_sound(self, guess: Answer, case: Case) -> bool:
        claimed = guess.pseudonym
        in_range = (claimed >= NO_GUESS) & (claimed < case.n_released)
        return claimed.shape == (case.n_original,) and bool(in_range.all())
