"""Guess files are read before they count: one that cannot be read is refused and costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from contest.models import Entry
from contest.services.datasets import load_original, load_released
from datasets.problems import Verdict
from games.formats.guessing import Game, Target, find_game


def game_of(entry: Entry) -> tuple[Game, Target]:
    """How an entry is attacked, and what of it a guess is checked against."""
    dataset = entry.round.dataset
    target = Target(
        n_original=dataset.n_people,
        n_released=entry.n_people or 0,
        original=lambda: load_original(dataset),
        released=lambda: load_released(entry),
    )
    return find_game(dataset.format), target


def check_guesses(targets: Mapping[int, Entry], guesses: Mapping[int, BinaryIO]) -> Verdict:
    """What is wrong with guesses, each named by its target; read again, they are at their start."""
    verdicts = []
    for key, file in guesses.items():
        game, target = game_of(targets[key])
        _guess, verdict = game.check(file, target)
        file.seek(0)
        verdicts.append(verdict.about(f"{key}.csv"))
    return Verdict.join(verdicts)
