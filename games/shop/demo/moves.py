"""What the teams of the demo hand in: entries made by several methods, and guesses of house attacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from datasets.tables import NO_GUESS
from games.shop.attacks.registry import run_attack
from games.shop.data.tables import PurchaseData, Release
from games.shop.demo.story import MethodCall
from games.shop.methods.registry import run_anonymizer


def chained(
    original: PurchaseData, steps: Sequence[MethodCall], limits: Mapping[str, float], seed: int
) -> Release | None:
    """The entry that the steps make: every method works on what the one before it made."""
    release: Release | None = None
    for step in steps:
        data = original if release is None else release.data
        made = run_anonymizer(step.method, data, limits, seed, step.parameters).release
        release = made if release is None else replace(made, truth=release.truth[made.truth])
    return release


def guessed(attack: str, original: PurchaseData, released: PurchaseData, seed: int) -> bytes:
    """The file of a guess: one row of the original, counted from 1, per line, or a dash."""
    rows = run_attack(attack, original, released, seed).rows.tolist()
    return "".join("-\n" if row == NO_GUESS else f"{row + 1}\n" for row in rows).encode("ascii")
