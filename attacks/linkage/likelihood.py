"""How likely is what a released person has, if it is a given original person? Log-likelihood ratios of pairs.

Each released thing comes from the original person's own things, or by noise from everybody's. The ratio to
the case that all came from everybody's is what a pair scores; ratios of independent things add up. Things are
given in two halves, and each half is scored on its own, so that one can be checked against the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from arithmetic import log, log1p
from attacks.linkage.feature_sets import Columns, shared_codes
from datasets.tables import Codes, Integers

Floats = npt.NDArray[np.float64]
Scores = npt.NDArray[np.float32]

FAR = 64


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs that may be the same: released row i may be ``original[start[i]:start[i + 1]]``, ascending."""

    start: Integers
    original: Integers
    n_original: int

    @property
    def n_released(self) -> int:
        return len(self.start) - 1

    @property
    def released(self) -> Integers:
        return np.repeat(np.arange(self.n_released), np.diff(self.start))


def all_pairs(n_released: int, n_original: int) -> Pairs:
    """Everybody may be anybody.

    >>> all_pairs(2, 3).original.tolist()
    [0, 1, 2, 0, 1, 2]
    """
    start = np.arange(n_released + 1, dtype=np.int64) * n_original
    return Pairs(start, np.tile(np.arange(n_original, dtype=np.int64), n_released), n_original)


def listed_pairs(keys: Integers, n_released: int, n_original: int) -> Pairs:
    """The pairs with these keys, released row · n_original + original row; repeated ones count once."""
    distinct = np.unique(keys)
    released, original = np.divmod(distinct, max(n_original, 1))
    count = np.bincount(released, minlength=n_released)
    return Pairs(np.concatenate([[0], np.cumsum(count)]), original, n_original)


@dataclass(frozen=True, eq=False)
class Things:
    """Things of people, one per element: who has it, in which half (0 or 1), and the columns that name it."""

    owner: npt.NDArray
    half: npt.NDArray
    columns: Columns


def token_scores(
    pairs: Pairs, original: Things, released: Things, noises: tuple[float, ...], *, once: bool = False
) -> Scores:
    """Ratios of things that are the same or not: noises × halves × pairs.

    With noise ε a thing t of the released person adds ln(1 + (1 − ε)/ε · f(t)/q(t)), f its share among the
    original person's things and q its share among everybody's. With ``once`` copies do not count.

    >>> tea = Things(np.array([0, 1]), np.array([0, 0]), (np.array([5, 6]),))
    >>> token_scores(all_pairs(2, 2), tea, tea, (0.5,))[0, 0].astype(float).round(3).tolist()
    [1.099, 0.0, 0.0, 1.099]
    """
    left, right, n_tokens = shared_codes(original.columns, released.columns)
    owner, token, count = _counted(original.owner, left, n_tokens, once)
    size = np.maximum(np.bincount(owner, weights=count, minlength=pairs.n_original), 1)
    common = np.bincount(token, weights=count, minlength=n_tokens) / max(count.sum(), 1)
    ratio = count / size[owner] / common[token]
    gain = np.column_stack([log1p((1 - noise) / noise * ratio) for noise in noises])
    order = np.lexsort((owner, token))
    posting = np.concatenate([[0], np.cumsum(np.bincount(token, minlength=n_tokens))])
    asked = [
        _counted(released.owner[released.half == half], right[released.half == half], n_tokens, once)
        for half in (0, 1)
    ]
    scores = np.empty((len(noises), 2, len(pairs.original)), dtype=np.float32)
    for half, (who, what, times) in enumerate(asked):
        begin = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=pairs.n_released))])
        scores[:, half] = _gather_tokens(
            *(pairs.start, pairs.original, pairs.n_original, begin, what, times, posting),
            *(owner[order], gain[order]),
        )
    return scores


def _counted(
    owner: npt.NDArray, token: Codes, n_tokens: int, once: bool
) -> tuple[Integers, Integers, Floats]:
    """Who has which token how often, sorted by owner and token."""
    keys, count = np.unique(owner.astype(np.int64) * max(n_tokens, 1) + token, return_counts=True)
    who, what = np.divmod(keys, max(n_tokens, 1))
    return who, what, np.ones(len(keys)) if once else count.astype(np.float64)


@njit(cache=True)
def _gather_tokens(
    start: Integers,
    original: Integers,
    n_original: int,
    begin: Integers,
    what: Integers,
    times: Floats,
    posting: Integers,
    holder: Integers,
    gain: Floats,
) -> Scores:
    """Sum what the tokens of each released person give each holder; then pick the listed pairs."""
    n_noises = gain.shape[1]
    scores = np.zeros((n_noises, len(original)), dtype=np.float32)
    total = np.zeros((n_original, n_noises))
    for row in range(len(start) - 1):
        total[:] = 0.0
        for place in range(begin[row], begin[row + 1]):
            for at in range(posting[what[place]], posting[what[place] + 1]):
                for noise in range(n_noises):
                    total[holder[at], noise] += times[place] * gain[at, noise]
        for pair in range(start[row], start[row + 1]):
            for noise in range(n_noises):
                scores[noise, pair] = total[original[pair], noise]
    return scores


def kernel_scores(pairs: Pairs, original: Things, released: Things, width: int, noise: float) -> Scores:
    """Ratios of whole numbers that may have moved by up to ``width``: halves × pairs.

    As `token_scores`, with f(t) = Σ max(0, 1 − |t − u|/(width + 1))/(width + 1) over the original person's
    numbers u, divided by how many there are, and q the mean of all f.
    """
    (known,), (asked,) = original.columns, released.columns
    if not len(known) or not len(asked):
        return np.zeros((2, len(pairs.original)), dtype=np.float32)
    # A forged number may be anywhere; what is far from every known one says the same wherever it is.
    asked = np.clip(asked, int(known.min()) - FAR, int(known.max()) + FAR)
    low = min(int(known.min()), int(asked.min())) - width
    n_values = max(int(known.max()), int(asked.max())) + width - low + 1
    count = np.zeros((pairs.n_original, n_values))
    np.add.at(count, (original.owner, known - low), 1.0)
    smooth = np.zeros_like(count)
    for shift in range(-width, width + 1):
        weight = (1 - abs(shift) / (width + 1)) / (width + 1)
        smooth += weight * np.roll(count, shift, axis=1)
    size = np.maximum(count.sum(axis=1), 1)
    common = smooth.sum(axis=0) / size.sum()
    share = smooth / size[:, None] / np.where(common > 0, common, 1.0)
    gain = log(noise + (1 - noise) * share) - log(noise)
    scores = np.zeros((2, len(pairs.original)), dtype=np.float32)
    for half in (0, 1):
        chosen = np.flatnonzero(released.half == half)
        who, what = released.owner[chosen], asked[chosen] - low
        order = np.lexsort((what, who))
        begin = np.concatenate([[0], np.cumsum(np.bincount(who, minlength=pairs.n_released))])
        scores[half] = _gather_values(pairs.start, pairs.original, begin, what[order], gain)
    return scores


@njit(cache=True)
def _gather_values(
    start: Integers, original: Integers, begin: Integers, what: Integers, gain: Floats
) -> Scores:
    scores = np.zeros(len(original), dtype=np.float32)
    for row in range(len(start) - 1):
        for pair in range(start[row], start[row + 1]):
            total = 0.0
            for place in range(begin[row], begin[row + 1]):
                total += gain[original[pair], what[place]]
            scores[pair] = total
    return scores


def number_scores(pairs: Pairs, original: Floats, released: Floats) -> tuple[Scores, Scores]:
    """−ln(1 + |x − y|/s) of one number per person, with s the usual gap between neighbours, and their spread.

    Long tails: exactly equal numbers say much, and one that is far away does not exclude anybody.
    """
    spread = float(original.std()) or 1.0
    gap = float(np.median(np.diff(np.sort(original)))) if len(original) > 1 else 0.0
    away = np.abs(released[pairs.released] - original[pairs.original])
    near, wide = (-log1p(away / scale) for scale in (max(gap, 0.002 * spread), 0.3 * spread))
    return near.astype(np.float32), wide.astype(np.float32)


def equality_scores(pairs: Pairs, original: Codes, released: Codes) -> Scores:
    """ln(n / holders) where a pair has the same value, else 0."""
    n_values = int(max(original.max(initial=-1), released.max(initial=-1))) + 1
    holders = np.maximum(np.bincount(original, minlength=n_values), 1)
    weight = log(max(len(original), 1) / holders)
    value = released[pairs.released]
    return np.where(value == original[pairs.original], weight[value], 0.0).astype(np.float32)
