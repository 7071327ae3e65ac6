"""What an attack is: a plain function from public tables to a guess, and the constant that describes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from datasets.tables import Integers


@dataclass(frozen=True, eq=False)
class Guess:
    """A guess Q: ``rows[i]`` is the 0-based row of M that row i of M′ is thought to be, or ``NO_GUESS``.

    Where several rows of M fit equally well, ``tie_members[tie_class[i]]`` lists them all, in ascending
    order; ``rows[i]`` is then the first. Attacks without such classes leave both empty.
    """

    rows: Integers
    tie_class: Integers | None = None
    tie_members: tuple[Integers, ...] = ()


@dataclass(frozen=True)
class HouseAttack:
    """Describes a built-in attack.

    ``function(original, released, rng)`` sees what every attacker sees, the public tables of its format, and
    returns a guess of that format's game. It never sees the truth.
    """

    name: str
    title: str
    meaning: str
    exploits: str
    cost: str
    function: Callable[..., Any]
    reference: str
    version: int

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""


def seeded(seed: int) -> np.random.Generator:
    """The one way in which attacks get their randomness."""
    return np.random.default_rng(seed)
