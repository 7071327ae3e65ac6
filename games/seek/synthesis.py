"""The house's generators: from a training table to a synthetic one, so that a site can make its own tasks.

They stand in for the generators of real contests, whose output organisers bring.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import log, product
from games.contract.tables import Columns
from games.seek.roc import Floats

BINS = 24
"""Columns with more values are cut into so many ranges."""
KEPT = 0.8
"""Share of the cells that *blend* takes from one training row."""
Ints = npt.NDArray[np.int64]


class Coded(NamedTuple):
    """A column as ranges of its public values: the values in order, the range of each, how many ranges."""

    values: npt.NDArray[Any]
    ranges: Ints
    n: int

    def encode(self, cells: npt.NDArray[Any]) -> Ints:
        return self.ranges[np.searchsorted(self.values, cells)]

    def decode(self, codes: Ints, rng: np.random.Generator) -> npt.NDArray[Any]:
        """For each range one of its values."""
        first = np.searchsorted(self.ranges, np.arange(self.n))
        sizes = np.bincount(self.ranges, minlength=self.n)
        return self.values[first[codes] + (rng.random(len(codes)) * sizes[codes]).astype(np.int64)]


def coded(public: npt.NDArray[Any]) -> Coded:
    """The ranges of a column, from public data alone: they cost no privacy."""
    values = np.unique(public)
    n = min(BINS, len(values))
    return Coded(values, np.arange(len(values)) * n // len(values), n)


def laplace(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Noise of the Laplace mechanism, with the same bits on every processor."""
    size: Floats = -scale * log(1 - rng.random(shape))
    return np.where(rng.random(shape) < 0.5, size, -size)


def draw(weights: Floats, n: int, rng: np.random.Generator) -> Ints:
    """Places drawn by their weights; negative ones count as 0, and without any all places are alike."""
    heavy = np.maximum(weights, 0.0)
    ends = np.cumsum(heavy if heavy.any() else np.ones(len(heavy)))
    return np.minimum(np.searchsorted(ends, rng.random(n) * ends[-1], side="right"), len(ends) - 1)


def marginals(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """Every column by itself, from counts with Laplace noise of scale d / ε for d columns.

    ε-differentially private for one row more or less; a household of k rows has k·ε.
    """
    made = {}
    for name in training:
        ranges = coded(public[name])
        counts = np.bincount(ranges.encode(training[name]), minlength=ranges.n).astype(float)
        noisy = counts + laplace(len(training) / epsilon, counts.shape, rng)
        made[name] = ranges.decode(draw(noisy, n, rng), rng)
    return made


def chain(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """Every column given the one before it, from counts of pairs with Laplace noise of scale (d − 1) / ε.

    ε-differentially private for one row more or less; a household of k rows has k·ε.
    """
    names = list(training)
    ranges = {name: coded(public[name]) for name in names}
    codes: dict[str, Ints] = {}
    for before, name in itertools.pairwise(names):
        pairs = np.zeros((ranges[before].n, ranges[name].n))
        np.add.at(pairs, (ranges[before].encode(training[before]), ranges[name].encode(training[name])), 1)
        noisy = np.maximum(pairs + laplace((len(names) - 1) / epsilon, pairs.shape, rng), 0.0)
        if before not in codes:
            codes[before] = draw(product(noisy, np.ones(ranges[name].n)), n, rng)
        codes[name] = np.zeros(n, dtype=np.int64)
        for code in range(ranges[before].n):
            chosen = np.flatnonzero(codes[before] == code)
            codes[name][chosen] = draw(noisy[code], len(chosen), rng)
    return {name: ranges[name].decode(codes[name], rng) for name in names}


def blend(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """Every row mixes the cells of two training rows. Not private: an overfitted generator to practise on."""
    size = len(next(iter(training.values())))
    first, second = rng.integers(0, size, n), rng.integers(0, size, n)
    return {
        name: np.where(rng.random(n) < KEPT, cells[first], cells[second]) for name, cells in training.items()
    }


Generator = Callable[[Columns, Columns, int, float, np.random.Generator], Mapping[str, npt.NDArray[Any]]]
GENERATORS: Mapping[str, Generator] = {"blend": blend, "chain": chain, "marginals": marginals}


def words_of(text: str) -> Sequence[str]:
    """The parts of a list that organisers wrote with commas.

    >>> words_of("chain, blend,")
    ['chain', 'blend']
    """
    return [word.strip() for word in text.split(",") if word.strip()]
