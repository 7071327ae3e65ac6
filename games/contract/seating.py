"""Who gets which seat, where seats are placed by a hash: of the team's name and a salt that was committed to.

Before the first team is placed, only the hash of the salt is known. Once the salt is shown, anybody can
compute every placing again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence


class NoneLeft(ValueError):
    """There are more teams than seats."""


def commitment(salt: str) -> str:
    """What is published before the first team is placed: SHA-256 of the salt, as hexadecimal digits.

    >>> commitment("salt")[:8]
    '63479ad6'
    """
    return hashlib.sha256(salt.encode()).hexdigest()


def first_choice(team: str, salt: str, n_seats: int) -> int:
    """SHA-256 of the name followed by the salt, as one whole number, modulo the number of seats."""
    return int(hashlib.sha256((team + salt).encode()).hexdigest(), 16) % n_seats


def placed(teams: Sequence[str], salt: str, n_seats: int, taken: Iterable[int] = ()) -> list[int]:
    """The seat of each team, in order of registration; where one is taken, the next free one.

    >>> placed(["aki", "haru"], "salt", 2), placed(["aki"], "salt", 2, taken=[0])
    ([1, 0], [1])
    """
    used, found = set(taken), []
    for team in teams:
        if len(used) >= n_seats:
            raise NoneLeft(f"There are {n_seats} seats; none is left for {team!r}.")
        seat = first_choice(team, salt, n_seats)
        while seat in used:
            seat = (seat + 1) % n_seats
        used.add(seat)
        found.append(seat)
    return found
