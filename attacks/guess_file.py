"""A house attack's guess as a file, for installations where the judge runs on another machine."""

from __future__ import annotations

import json

import numpy as np

from attacks.attack import Guess
from datasets.tables import Integers


def as_bytes(guess: Guess) -> bytes:
    """All of a guess, also its tie classes, as JSON.

    >>> from_bytes(as_bytes(Guess(np.array([2, 0]), np.array([0, -1]), (np.array([2, 5]),)))).tie_members
    (array([2, 5]),)
    """
    fields = {
        "rows": guess.rows.tolist(),
        "tie_class": None if guess.tie_class is None else guess.tie_class.tolist(),
        "tie_members": [members.tolist() for members in guess.tie_members],
    }
    return json.dumps(fields, separators=(",", ":")).encode("ascii")


def from_bytes(content: bytes) -> Guess:
    fields = json.loads(content)
    ties = fields["tie_class"]
    return Guess(
        _integers(fields["rows"]),
        None if ties is None else _integers(ties),
        tuple(_integers(members) for members in fields["tie_members"]),
    )


def _integers(values: list[int]) -> Integers:
    return np.array(values, dtype=np.int64)
