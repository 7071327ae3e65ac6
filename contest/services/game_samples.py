"""Sample entries of a game: all that the house can hide and seek with, where organisers ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.contract.declaration import Declaration, Method

Baseline = tuple[str, dict[str, Any], int | None]


def sample_methods(declared: Declaration) -> tuple[Method, ...]:
    """The methods that the house can play: it needs a seat where data belong to seats."""
    if declared.phases == "seek" or (declared.files_of("seat") and not declared.seats.spare):
        return ()
    return declared.methods


def with_samples(
    declared: Declaration, attacks: Sequence[str], baselines: Sequence[Baseline]
) -> tuple[list[str], list[Baseline]]:
    """House attacks and house entries that were chosen, and after them all others of the game."""
    chosen = {method for method, _, _ in baselines}
    more: list[Baseline] = [
        (method.name, {}, None) for method in sample_methods(declared) if method.name not in chosen
    ]
    others = [attack.name for attack in declared.attacks if attack.name not in attacks]
    return [*attacks, *others], [*baselines, *more]
