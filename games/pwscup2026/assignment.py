"""Who has which cohort: by a hash of the team's name and a salt that was committed to before."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence


class NoneLeft(ValueError):
    """There are more teams than cohorts."""


def commitment(salt: str) -> str:
    """What is published before the first team is placed: SHA-256 of the salt, as hexadecimal digits.

    >>> commitment("salt")[:8]
    '63479ad6'
    """
    return hashlib.sha256(salt.encode()).hexdigest()


def first_choice(team: str, salt: str, n_cohorts: int) -> int:
    """SHA-256 of the name followed by the salt, as one whole number, modulo the number of cohorts."""
    return int(hashlib.sha256((team + salt).encode()).hexdigest(), 16) % n_cohorts


def placed(teams: Sequence[str], salt: str, n_cohorts: int, taken: Iterable[int] = ()) -> list[int]:
    """The cohort of each team, in order of registration; where one is taken, the next free one.

    >>> placed(["aki", "haru"], "salt", 2), placed(["aki"], "salt", 2, taken=[0])
    ([1, 0], [1])
    """
    used, found = set(taken), []
    for team in teams:
        if len(used) >= n_cohorts:
            raise NoneLeft(f"There are {n_cohorts} cohorts; none is left for {team!r}.")
        cohort = first_choice(team, salt, n_cohorts)
        while cohort in used:
            cohort = (cohort + 1) % n_cohorts
        used.add(cohort)
        found.append(cohort)
    return found
