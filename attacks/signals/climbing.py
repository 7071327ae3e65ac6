"""A team that climbs: guess after guess at one target, each changing few rows of an earlier one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attacks.signals.evidence import Evidence
from datasets.tables import Integers

THRESHOLD = 0.6
FEWEST = 6
"""With fewer other guesses a habit cannot be distinguished from a correction."""
SMALL = 0.1
"""A step that changes at most this share of the rows, or two of them, is small."""
EASY = 0.9
"""Where the best guess finds this share, every good attack says nearly the same: steps from there are left
out."""


def climbing(guesses: Sequence[Integers], hits: Sequence[int]) -> Evidence:
    """Of the guesses that a team sent one after the other at one target, the share of small steps.

    Each guess is compared with the nearest one before it, such as the best so far: a climber keeps what
    was right, tries or leaves out a few rows, and watches how the answer changes. It counts people whom it
    names where the earlier guess named another or nobody; the same file again is not a step. Range 0 to 1. An
    honest reason: an attack that is sent again and again with few changes, such as newly drawn ties.

    >>> truth = np.arange(20)
    >>> steps = [np.where(np.arange(20) < known, truth, -1) for known in range(9)]
    >>> climbing(steps, list(range(9))).strength
    1.0
    """
    steps = small = most = 0
    for place, guess in enumerate(guesses):
        before = guesses[:place]
        is_new = not any(np.array_equal(guess, earlier) for earlier in before)
        if before and is_new and most < EASY * len(guess):
            steps += 1
            changed = min(int(np.count_nonzero((guess != it) & (guess >= 0))) for it in before)
            small += changed <= max(2, SMALL * len(guess))
        most = max(most, hits[place])
    share = small / steps if steps >= FEWEST else 0.0
    gained = most - hits[0] if hits else 0
    detail = {"guesses": len(guesses), "steps": steps, "small_steps": small, "people_gained": gained}
    return Evidence("climbing", share, THRESHOLD, detail)
