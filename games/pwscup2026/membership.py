"""The membership game: which people of the attacker's own cohort are in the target's as well."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from games.seek.statistics import auc, tpr_interpolated

from .distances import percentile
from .layout import Flags, Floats, clipped

LEVEL_PERCENT = 95
WHOLE_AT = 12
"""A mean score of so many times the false positive rate leaves no anonymity."""


class Membership(NamedTuple):
    all: float
    rare: float | None
    """Undefined where none of the attacker's rare people is in the target."""
    auc: float

    @property
    def score(self) -> float:
        return self.all if self.rare is None else max(self.all, self.rare)


class Chance(NamedTuple):
    """What an answer reaches by luck: the mean, and the level that one answer in twenty reaches."""

    mean: float
    level: float


def membership(confidence: Floats, is_member: Flags, is_rare: Flags | None, fpr: float) -> Membership:
    """The true positive rate at this false positive rate, over all people and over the rare ones.

    >>> answer, member = np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, True, False, False])
    >>> membership(answer, member, None, 0.01)
    Membership(all=1.0, rare=None, auc=1.0)
    """
    few = None
    if is_rare is not None and (is_rare & is_member).any():
        few = tpr_interpolated(confidence[is_rare], is_member[is_rare], fpr) or 0.0
    area = auc(confidence, is_member, fpr)
    everybody = tpr_interpolated(confidence, is_member, fpr) or 0.0
    return Membership(everybody, few, 0.5 if area is None else area)


def band(value: float, edges: Sequence[float]) -> int:
    """From 1 on; an edge belongs to the band below it.

    >>> [band(value, (0.25, 0.5, 0.75)) for value in (0.0, 0.25, 0.26, 1.0)]
    [1, 1, 2, 4]
    """
    return 1 + sum(value > edge for edge in edges)


def lost_anonymity(mean_score: float, fpr: float) -> float:
    """a_MIA of a mean score β: (β / fpr − 1) / (12 − 1), from 0 to 1.

    >>> lost_anonymity(0.01, 0.01), lost_anonymity(0.12, 0.01)
    (0.0, 1.0)
    """
    return clipped((mean_score / fpr - 1) / (WHOLE_AT - 1))


def chance(
    confidence: Floats, n_members: int, is_rare: Flags, fpr: float, n_permutations: int, seed: str
) -> Chance:
    """The scores of an answer whose labels are permuted over all people, rare ones among them.

    The seed names attacker and target, so a second judge finds the same level.
    """
    n = len(confidence)
    if not 0 < n_members < n or not n_permutations:
        return Chance(0.0, 0.0)
    order = np.argsort(-confidence, kind="stable")
    rng = np.random.default_rng(list(hashlib.sha256(seed.encode()).digest()))
    members = _drawn(n, n_members, n_permutations, rng)
    ranked, few = confidence[order], np.flatnonzero(is_rare[order])
    scores = _rates(members, np.full(n_permutations, n_members), n, _ends(ranked), fpr)
    if len(few):
        places = np.full(n, n)
        places[few] = np.arange(len(few))
        inside = places[members]
        rates = _rates(inside, (inside < n).sum(axis=1), len(few), _ends(ranked[few]), fpr)
        scores = np.maximum(scores, rates)
    return Chance(float(scores.mean()), percentile(scores, LEVEL_PERCENT))


def _drawn(n: int, n_members: int, n_permutations: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """For each permutation the ranks of the members, all different: lines with a repeated one are redrawn."""
    if 2 * n_members > n:
        return np.stack([rng.permutation(n)[:n_members] for _ in range(n_permutations)])
    # One row per member here: then all permutations are compared along memory.
    drawn = np.ascontiguousarray(rng.integers(0, n, (n_permutations, n_members)).T)
    for place in range(1, n_members):
        lines = np.flatnonzero((drawn[:place] == drawn[place]).any(axis=0))
        while len(lines):
            drawn[place, lines] = rng.integers(0, n, len(lines))
            lines = lines[(drawn[:place, lines] == drawn[place, lines]).any(axis=0)]
    return drawn.T


def _ends(ranked: Floats) -> npt.NDArray[np.int64]:
    """Where each group of equal confidences ends."""
    return np.flatnonzero(np.append(np.diff(ranked) != 0, True)) + 1


def _rates(
    members: npt.NDArray[Any], n_in: npt.NDArray[Any], n: int, ends: npt.NDArray[Any], fpr: float
) -> Floats:
    """The interpolated rate of each line of members' ranks among n people; 0 where nobody is in or out.

    Groups after the one that passes the rate for every line are not looked at.
    """
    n_out = n - n_in
    enough = int(np.searchsorted(ends, fpr * n + members.shape[1] + 1)) + 1
    ends = ends[:enough]
    inside = _counted(members, ends)
    outside = np.concatenate([[0], ends]) - inside
    tpr, rates = inside / np.maximum(n_in, 1)[:, None], outside / np.maximum(n_out, 1)[:, None]
    lines, after = np.arange(len(members)), (rates > fpr).argmax(axis=1)
    passes = rates[lines, after] > fpr
    right, high = rates[lines, after], tpr[lines, after]
    left, low = rates[lines, after - 1], tpr[lines, after - 1]
    between = low + (high - low) * ((fpr - left) / np.where(passes & (right > left), right - left, 1.0))
    return np.where((n_in > 0) & (n_out > 0), np.where(passes, between, tpr[:, -1]), 0.0)


def _counted(members: npt.NDArray[Any], ends: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """For each line how many members are before each end, with 0 at the start.

    >>> _counted(np.array([[0, 5], [1, 2]]), np.array([1, 3])).tolist()
    [[0, 1, 1], [0, 0, 2]]
    """
    lines, places = np.nonzero(members < ends[-1])
    groups = np.searchsorted(ends, members[lines, places], side="right")
    size = len(ends) + 1
    counts = np.bincount(lines * size + groups + 1, minlength=len(members) * size)
    return np.cumsum(counts.reshape(len(members), size), axis=1)
