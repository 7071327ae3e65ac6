"""Classification and regression trees (Breiman et al. 1984) that hand out rows of their leaves as donors.

Splits compare whole counts, or sums that are taken in a fixed order, so a tree is the same on every
processor. Equal splits are decided by the first column and the smallest value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from games.seek.roc import Floats

LEAST_LEAF = 5
"""Rows of a leaf at least, as synthpop has it."""
LEAST_GAIN = 1e-8
"""Share of the whole table's impurity that a split must remove, as rpart's complexity in synthpop."""
CELLS = 2_000_000
"""Numbers that are held in memory at once: rows × predictors × categories of the response."""
Ints = npt.NDArray[np.int64]


class Feature(NamedTuple):
    """A column: numbers, or the codes of categories."""

    values: npt.NDArray[np.float64] | Ints
    is_category: bool = False

    def take(self, rows: Ints) -> Feature:
        return Feature(self.values[rows], self.is_category)


class Split(NamedTuple):
    """Rows whose place is at most ``cut`` go left; ``places`` gives categories theirs."""

    gain: float
    column: int
    cut: float
    places: dict[int, int] | None

    def goes_left(self, feature: Feature) -> npt.NDArray[np.bool_]:
        if self.places is None:
            return np.asarray(feature.values <= self.cut)
        left = [code for code, place in self.places.items() if place <= self.cut]
        return np.isin(feature.values, left)


def best_split(
    predictors: Sequence[Feature], response: Feature, least_leaf: int = LEAST_LEAF
) -> Split | None:
    """The split that lowers the impurity most: the sum of squares of numbers, Gini × rows of categories.

    Categories of a predictor are first put in the order of their mean response, or of their share of the
    commonest category; for numbers and for two categories the best split is among those of this order.

    >>> age, ill = Feature(np.array([20.0, 30, 40, 50])), Feature(np.array([0, 0, 1, 1]), True)
    >>> found = best_split([age], ill, least_leaf=1)
    >>> found.gain, found.cut  # four rows with a Gini impurity of one half become pure
    (2.0, 30.0)
    """
    best: Split | None = None
    target = _centred(response)
    places = [_places(one, response) if one.is_category else None for one in predictors]
    values = np.column_stack([_placed(one, place) for one, place in zip(predictors, places, strict=True)])
    step = max(1, CELLS // target.size)
    for first in range(0, len(predictors), step):
        block = values[:, first : first + step]
        order = np.argsort(block, axis=0, kind="stable")
        rising = np.take_along_axis(block, order, axis=0)
        gains = np.where(_legal(rising, least_leaf), _gains(target[order]), -np.inf)
        for number, cut in enumerate(np.argmax(gains, axis=0).tolist() if len(gains) else ()):
            gain = float(gains[cut, number])
            if gain > (best.gain if best else -np.inf):
                best = Split(gain, first + number, float(rising[cut, number]), places[first + number])
    return best


def _legal(rising: Floats, least_leaf: int) -> npt.NDArray[np.bool_]:
    """Between which neighbours of each column a cut leaves different values and enough rows on both sides."""
    sizes = np.arange(1, len(rising))[:, None]
    enough = (sizes >= least_leaf) & (sizes <= len(rising) - least_leaf)
    return np.asarray((rising[1:] != rising[:-1]) & enough)


def _centred(response: Feature) -> npt.NDArray[np.float64] | Ints:
    """Numbers as differences from their mean, one column; categories as one column of 0 and 1 for each."""
    if not response.is_category:
        values = response.values.astype(float)
        return (values - math.fsum(values) / len(values))[:, None]
    codes = np.unique(response.values, return_inverse=True)[1].reshape(-1)
    return (codes[:, None] == np.arange(codes.max() + 1)).astype(np.int64)


def _gains(target: npt.NDArray[np.float64] | Ints) -> Floats:
    """By how much each cut between neighbours lowers the impurity: Σ s²/n of both sides, less the whole's.

    ``target`` holds, for each predictor, the response in the order of its values.
    """
    left = np.cumsum(target, axis=0)
    whole = left[-1]
    left, sizes = left[:-1], np.arange(1, len(target))[:, None]
    right = whole - left
    sides = (left * left).sum(axis=2) / sizes + (right * right).sum(axis=2) / (len(target) - sizes)
    gains: Floats = sides - (whole * whole).sum(axis=1) / len(target)
    return gains


def _places(predictor: Feature, response: Feature) -> dict[int, int]:
    """The order of a predictor's categories by their response; of equal ones the smaller code first."""
    codes, of = np.unique(predictor.values, return_inverse=True)
    of = of.reshape(-1)
    if response.is_category:
        known, counts = np.unique(response.values, return_counts=True)
        height = (response.values == known[np.argmax(counts)]).astype(float)
    else:
        height = response.values.astype(float)
    means = np.bincount(of, weights=height) / np.bincount(of)
    order = np.argsort(means, kind="stable")
    return {int(codes[code]): place for place, code in enumerate(order.tolist())}


def _placed(feature: Feature, places: dict[int, int] | None) -> Floats:
    if places is None:
        return feature.values.astype(float)
    codes, of = np.unique(feature.values, return_inverse=True)
    return np.array([places[int(code)] for code in codes], dtype=float)[of.reshape(-1)]


def impurity(response: Feature) -> float:
    """The sum of squared differences from the mean, or rows × Gini.

    >>> impurity(Feature(np.array([0, 0, 1, 1]), True)), impurity(Feature(np.array([1.0, 3.0])))
    (2.0, 2.0)
    """
    target = _centred(response)
    if not response.is_category:
        return math.fsum((target * target)[:, 0])
    counts = target.sum(axis=0)
    return len(target) - float((counts * counts).sum()) / len(target)


def tree_donors(
    predictors: Sequence[Feature], response: Feature, asked: Sequence[Feature], rng: np.random.Generator
) -> Ints:
    """For each asked row a training row, drawn among those of the leaf into which the asked row falls.

    The tree is grown on the training rows and the asked rows go down with it, so that no tree is stored.
    """
    n_asked = len(asked[0].values)
    donors = np.zeros(n_asked, dtype=np.int64)
    least = LEAST_GAIN * impurity(response)
    waiting = [(np.arange(len(response.values)), np.arange(n_asked))]
    while waiting:
        rows, wanted = waiting.pop()
        if not len(wanted):
            continue
        split = None
        if len(rows) >= 2 * LEAST_LEAF:
            split = best_split([one.take(rows) for one in predictors], response.take(rows))
        if split is None or split.gain <= least:
            donors[wanted] = rows[rng.integers(0, len(rows), len(wanted))]
            continue
        left = split.goes_left(predictors[split.column].take(rows))
        wanted_left = split.goes_left(asked[split.column].take(wanted))
        waiting += [(rows[~left], wanted[~wanted_left]), (rows[left], wanted[wanted_left])]
    return donors
