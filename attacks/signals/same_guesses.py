"""Guesses of two teams that share their mistakes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attacks.signals.evidence import Evidence
from datasets.tables import Integers

THRESHOLD = 0.8
FEWEST = 10


def shared_mistakes(
    first: Integers, second: Integers, truth: Integers, known: Sequence[Integers] = ()
) -> Evidence:
    """Of the rows where both teams guess wrongly, the share where they name the same wrong person.

    Correct guesses agree with each other; only mistakes are informative. Rows where both say what one of the
    ``known`` guesses says are left out: the house attacks are public, and teams that run them make their
    mistakes. A guess below 0 is none.
    """
    wrong = (first >= 0) & (second >= 0) & (first != truth) & (second != truth)
    for guess in known:
        wrong &= ~((first == guess) & (second == guess))
    n_wrong = int(np.count_nonzero(wrong))
    same = int(np.count_nonzero(wrong & (first == second)))
    share = same / n_wrong if n_wrong >= FEWEST else 0.0
    return Evidence("shared-mistakes", share, THRESHOLD, {"both_wrong": n_wrong, "the_same": same})
