"""Choices among candidates: who is whose first choice, and a conditional logit that explains choices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from numba import njit

from arithmetic import exp, log, minimise
from arithmetic.elementary import exp_of, log_of
from attacks.linkage.likelihood import Pairs
from datasets.tables import Integers

Floats = npt.NDArray[np.float64]

CANDIDATES = 100
MISTAKES = 0.05
"""η, the share of choices that are taken to be anybody: one mistake must not outweigh many others."""
SHRINKAGE = 1.0
"""Penalty on squared weights of scores in units of their spread, against a sum over choices."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Released rows with the pair that was chosen for each, surest first, and the margins of the choices."""

    rows: Integers
    pairs: Integers
    margin: Floats

    def taken(self, which: npt.NDArray) -> Labels:
        return Labels(self.rows[which], self.pairs[which], self.margin[which])

    def surer_than(self, margin: float) -> Labels:
        return self.taken(np.flatnonzero(self.margin > margin))

    def first(self, most: int) -> Labels:
        return self.taken(np.arange(min(most, len(self.rows))))

    def every_second(self, begin: int) -> Labels:
        return self.taken(np.arange(begin, len(self.rows), 2))

    def informed(self, pairs: Pairs, x: Floats) -> Labels:
        """Only rows whose candidates differ in some score: others have nothing that explains a choice."""
        return self.taken(np.flatnonzero(_differ(pairs.start, x, self.rows)))


@njit(cache=True)
def _differ(start: Integers, x: Floats, rows: Integers) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(rows), dtype=np.bool_)
    for at in range(len(rows)):
        begin, end = start[rows[at]], start[rows[at] + 1]
        for pair in range(begin + 1, end):
            for kind in range(x.shape[1]):
                if x[pair, kind] != x[begin, kind]:
                    found[at] = True
    return found


def mutual_choices(pairs: Pairs, score: Floats) -> Labels:
    """Pairs that are each other's best, with the smaller of both leads over the second best.

    Scores are compared as ln P(original | released): who has many records scores more with everybody.
    """
    row, margin = _mutual(pairs.start, pairs.original, pairs.n_original, score)
    rows = np.flatnonzero(row >= 0)
    order = np.lexsort((rows, -margin[rows]))
    rows = rows[order]
    return Labels(rows, row[rows], margin[rows])


def log_chances(pairs: Pairs, score: Floats) -> Floats:
    """ln P(original | released) of every pair: the score less the logarithm of the row's odds.

    >>> pairs = Pairs(np.array([0, 2]), np.array([0, 1]), 2)
    >>> log_chances(pairs, np.array([0.0, 0.0])).round(4).tolist()
    [-0.6931, -0.6931]
    """
    row = pairs.released
    top = np.full(pairs.n_released, -np.inf)
    np.maximum.at(top, row, score)
    odds = np.bincount(row, weights=exp(score - top[row]), minlength=pairs.n_released)
    chance: Floats = score - top[row] - log(odds[row])
    return chance


@njit(cache=True)
def _mutual(start: Integers, original: Integers, n_original: int, score: Floats) -> tuple[Integers, Floats]:
    n_released = len(start) - 1
    best, second = np.full(n_original, -np.inf), np.full(n_original, -np.inf)
    chosen, pair_of = np.full(n_original, -1), np.full(n_released, -1)
    lead = np.zeros(n_released)
    for row in range(n_released):
        begin, end = start[row], start[row + 1]
        if begin == end:
            continue
        first = begin + np.argmax(score[begin:end])
        top, next_best, odds = score[first], -np.inf, 0.0
        for pair in range(begin, end):
            odds += exp_of(score[pair] - top)
            if pair != first:
                next_best = max(next_best, score[pair])
        pair_of[row], lead[row] = first, top - next_best
        usual = top + log_of(odds)
        for pair in range(begin, end):
            value, column = score[pair] - usual, original[pair]
            if value > best[column]:
                second[column], best[column], chosen[column] = best[column], value, row
            elif value > second[column]:
                second[column] = value
    for row in range(n_released):
        if pair_of[row] >= 0:
            column = original[pair_of[row]]
            lead[row] = min(lead[row], best[column] - second[column], 1e6)
            if chosen[column] != row or not lead[row] > 0.0:
                pair_of[row] = -1
    return pair_of, lead


@dataclass(frozen=True, eq=False)
class Choices:
    """Scores of candidates: choice i was between ``x[start[i]:start[i + 1]]`` and fell on ``x[right[i]]``."""

    x: Floats
    start: Integers
    right: Integers


def choices_of(pairs: Pairs, x: Floats, labels: Labels) -> Choices:
    """The scores of the chosen pairs among those of up to `CANDIDATES` others, evenly spaced.

    A conditional logit fitted to such samples has the same weights (McFadden 1978).
    """
    lists, right, size = [], [], 0
    for row, pair in zip(labels.rows.tolist(), labels.pairs.tolist(), strict=True):
        begin, end = int(pairs.start[row]), int(pairs.start[row + 1])
        step = max(1, -(-(end - begin) // CANDIDATES))
        listed = np.arange(begin + row % step, end, step)
        place = int(np.searchsorted(listed, pair))
        if place == len(listed) or listed[place] != pair:
            listed = np.insert(listed, place, pair)
        lists.append(listed)
        right.append(size + place)
        size += len(listed)
    start = np.concatenate([[0], np.cumsum([len(listed) for listed in lists])]).astype(np.int64)
    chosen = np.concatenate(lists) if lists else np.empty(0, dtype=np.int64)
    return Choices(x[chosen], start, np.array(right, dtype=np.int64))


def fitted(choices: Choices) -> Floats:
    """Weights that are not negative and explain the choices: max Σ ln P(chosen | row) − λ‖β‖²/2.

    P(j | i) = (1 − η) exp(β · x_ij) / Σ_k exp(β · x_ik) + η / candidates. A score whose weight would
    be negative is left out.
    """
    spread = choices.x.std(axis=0)
    kept = np.flatnonzero(spread > 0)
    weights = np.zeros(choices.x.shape[1])
    while len(kept):
        scaled = np.ascontiguousarray(choices.x[:, kept] / spread[kept])
        loss = partial(_loss, scaled, choices.start, choices.right)
        found = minimise(loss, np.full(len(kept), 0.1), goal=0.05, most=40).x
        if (found >= 0).all():
            weights[kept] = found / spread[kept]
            return weights
        kept = kept[found >= 0]
    return weights


@njit(cache=True)
def _loss(x: Floats, start: Integers, right: Integers, weights: Floats) -> tuple[float, Floats]:
    n_kinds = x.shape[1]
    gradient = SHRINKAGE * weights
    value = 0.0
    for kind in range(n_kinds):
        value += SHRINKAGE * weights[kind] * weights[kind] / 2
    expected = np.zeros(n_kinds)
    for row in range(len(right)):
        begin, end = start[row], start[row + 1]
        score = np.zeros(end - begin)
        top = -np.inf
        for pair in range(begin, end):
            total = 0.0
            for kind in range(n_kinds):
                total += weights[kind] * x[pair, kind]
            score[pair - begin] = total
            top = max(top, total)
        odds = 0.0
        expected[:] = 0.0
        for pair in range(begin, end):
            share = exp_of(score[pair - begin] - top)
            odds += share
            for kind in range(n_kinds):
                expected[kind] += share * x[pair, kind]
        chance = (1 - MISTAKES) * exp_of(score[right[row] - begin] - top) / odds
        mistaken = MISTAKES / (end - begin)
        value -= log_of(chance + mistaken)
        meant = chance / (chance + mistaken)
        for kind in range(n_kinds):
            gradient[kind] += meant * (expected[kind] / odds - x[right[row], kind])
    return value, gradient


def gains(choices: Choices, weights: Floats) -> Floats:
    """ln(candidates · P(chosen | row)) of every choice: 0 for weights that know nothing, never below ln η."""
    return _gains(choices.x, choices.start, choices.right, weights)


@njit(cache=True)
def _gains(x: Floats, start: Integers, right: Integers, weights: Floats) -> Floats:
    found = np.zeros(len(right))
    for row in range(len(right)):
        begin, end = start[row], start[row + 1]
        score = np.zeros(end - begin)
        for pair in range(begin, end):
            for kind in range(len(weights)):
                score[pair - begin] += weights[kind] * x[pair, kind]
        top = score.max()
        odds = 0.0
        for value in score:
            odds += exp_of(value - top)
        chance = (1 - MISTAKES) * exp_of(score[right[row] - begin] - top) / odds
        found[row] = log_of(chance * (end - begin) + MISTAKES)
    return found
