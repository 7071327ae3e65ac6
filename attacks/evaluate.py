"""The judge: a guess against the truth. The only attack code that takes the truth."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from attacks.attack import Guess
from datasets.tables import NO_GUESS, Integers

Z95 = 1.959963984540054
"""The 97.5 % quantile of the normal distribution."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What one attack found in one entry.

    ``hit_rows`` are the rows of M′ that were guessed right; ``low`` and ``high`` bound the rate with 95 %
    confidence; ``baseline`` is the rate of a random guess. ``expected_hits`` is what the attack would find
    on average if it drew from each tie class at random; without tie classes it equals ``hits``.
    """

    hits: int
    n_released: int
    rate: float
    low: float
    high: float
    baseline: float
    expected_hits: float
    hit_rows: Integers

    def as_dict(self) -> dict[str, float | int | list[int]]:
        numbers = {name: value for name, value in vars(self).items() if name != "hit_rows"}
        return {**numbers, "hit_rows": (self.hit_rows + 1).tolist()}


def judge(guess: Guess, truth: npt.ArrayLike, n_original: int) -> Judgement:
    """Count who was re-identified: hits = #{i : Q(i) = p(i)}, rate = hits / n′.

    Expected hits under random tie-breaking are Σ 1/|tie class| over the classes that hold the right row.

    >>> judged = judge(Guess(np.array([2, 1, 0])), [2, 0, 1], 3)
    >>> judged.hits, judged.hit_rows.tolist(), round(judged.rate, 3), round(judged.low, 3)
    (1, [0], 0.333, 0.061)
    """
    right = np.asarray(truth, dtype=np.int64)
    rows = np.asarray(guess.rows)
    if rows.shape != right.shape:
        raise ValueError(f"A guess needs one line for each of the {len(right)} rows of M′. Got {len(rows)}.")
    hit = (rows == right) & (rows != NO_GUESS)
    hits, n_released = int(hit.sum()), len(right)
    low, high = wilson(hits, n_released)
    return Judgement(
        hits=hits,
        n_released=n_released,
        rate=hits / n_released if n_released else 0.0,
        low=low,
        high=high,
        baseline=1 / n_original if n_original else 0.0,
        expected_hits=float(hit_chances(guess, right).sum()),
        hit_rows=np.flatnonzero(hit),
    )


def hit_chances(guess: Guess, truth: Integers) -> npt.NDArray[np.float64]:
    """For every row of M′ the chance that a draw from its tie class is right."""
    if guess.tie_class is None:
        return ((guess.rows == truth) & (guess.rows != NO_GUESS)).astype(np.float64)
    chances = np.zeros(len(truth))
    for row, name in enumerate(guess.tie_class.tolist()):
        if name == NO_GUESS:
            continue
        members = guess.tie_members[name]
        place = np.searchsorted(members, truth[row])
        if place < len(members) and members[place] == truth[row]:
            chances[row] = 1 / len(members)
    return chances


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate: (p + z²/2n ± z·sqrt(p(1−p)/n + z²/4n²)) / (1 + z²/n).

    >>> tuple(round(bound, 4) for bound in wilson(89, 400))
    (0.1845, 0.2658)
    """
    if trials == 0:
        return 0.0, 1.0
    rate, square = hits / trials, Z95**2
    centre = rate + square / (2 * trials)
    spread = Z95 * sqrt(rate * (1 - rate) / trials + square / (4 * trials**2))
    scale = 1 + square / trials
    low = 0.0 if hits == 0 else (centre - spread) / scale
    high = 1.0 if hits == trials else (centre + spread) / scale
    return low, high
