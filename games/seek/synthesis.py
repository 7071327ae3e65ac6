"""The house's generators: from a training table to a synthetic one, so that a site can make its own tasks.

They stand in for the generators of real contests, whose output organisers bring. All draw from the generator
that they are given, so the same seed makes the same table; the one exception is in `private_counts`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import covariance, log, product
from games.contract.tables import Columns
from games.seek.cart import Feature, tree_donors
from games.seek.copula import copula
from games.seek.distances import closest
from games.seek.private_counts import noisy_counts
from games.seek.roc import Floats

BINS = 24
"""Columns with more values are cut into so many ranges."""
KEPT = 0.8
"""Share of the cells that *blend* takes from one training row."""
NOISE = 0.1
"""Of *bootstrap*: standard deviations of a number, and the share of texts that are drawn again."""
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
        codes[name] = _following(codes[before], noisy, rng)
    return {name: ranges[name].decode(codes[name], rng) for name in names}


def _following(before: Ints, noisy: Floats, rng: np.random.Generator) -> Ints:
    """For each code of a column one of the next column, by the noisy counts of pairs."""
    codes = np.zeros(len(before), dtype=np.int64)
    for code in range(len(noisy)):
        chosen = np.flatnonzero(before == code)
        codes[chosen] = draw(noisy[code], len(chosen), rng)
    return codes


def opendp(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """As *chain*, but all counts of pairs get the discrete Laplace noise of OpenDP in one release.

    One row more or less changes one count of each of the d − 1 tables, so the noise has the scale
    (d − 1) / ε; of a table with one column its counts are released. ε-differentially private, in whole
    numbers, with noise that nobody can draw again: two runs differ. The rest is drawn from ``rng``.
    """
    names = list(training)
    ranges = {name: coded(public[name]) for name in names}
    pairs = list(itertools.pairwise(names)) or [(names[0], names[0])]
    shapes = [(ranges[before].n, ranges[name].n) for before, name in pairs]
    tables = [np.zeros(shape, dtype=np.int64) for shape in shapes]
    for counts, (before, name) in zip(tables, pairs, strict=True):
        np.add.at(counts, (ranges[before].encode(training[before]), ranges[name].encode(training[name])), 1)
    released = noisy_counts(np.concatenate([counts.reshape(-1) for counts in tables]), len(pairs), epsilon)
    ends = np.cumsum([counts.size for counts in tables])[:-1]
    codes: dict[str, Ints] = {}
    for (before, name), shape, part in zip(pairs, shapes, np.split(released, ends), strict=True):
        noisy = np.maximum(part.reshape(shape), 0).astype(float)
        if before not in codes:
            codes[before] = draw(noisy.sum(axis=1), n, rng)
        codes[name] = _following(codes[before], noisy, rng)
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


def bootstrap(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """Training rows drawn with replacement, their cells moved a little. Not private.

    A number gets normal noise of `NOISE` standard deviations and becomes the nearest value of its public
    column; a text is drawn again from the training column with the chance `NOISE`.
    """
    size = len(next(iter(training.values())))
    rows = rng.integers(0, size, n)
    made = {}
    for name, cells in training.items():
        if cells.dtype == object:
            again = cells[rng.integers(0, size, n)]
            made[name] = np.where(rng.random(n) < NOISE, again, cells[rows])
        else:
            numbers = cells.astype(float)
            spread = np.sqrt(covariance(numbers[:, None])[0, 0]) if size > 1 else 0.0
            made[name] = closest(numbers[rows] + NOISE * spread * rng.normal(size=n), public[name])
    return made


def tree(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """Column after column from a decision tree on those before it (Reiter 2005, CART). Not private.

    The first column is drawn from the training column. For each further one a tree is grown, and a cell is
    that of a random training row in the leaf into which the row made so far falls.
    """
    size = len(next(iter(training.values())))
    known: list[Feature] = []
    asked: list[Feature] = []
    made = {}
    for name, cells in training.items():
        feature = _feature(cells)
        donors = tree_donors(known, feature, asked, rng) if known else rng.integers(0, size, n)
        known.append(feature)
        asked.append(feature.take(donors))
        made[name] = cells[donors]
    return made


def _feature(cells: npt.NDArray[Any]) -> Feature:
    if cells.dtype != object:
        return Feature(cells.astype(float))
    return Feature(np.unique(cells, return_inverse=True)[1].reshape(-1).astype(np.int64), is_category=True)


Generator = Callable[[Columns, Columns, int, float, np.random.Generator], Mapping[str, npt.NDArray[Any]]]
GENERATORS: Mapping[str, Generator] = {
    "blend": blend,
    "bootstrap": bootstrap,
    "chain": chain,
    "copula": copula,
    "marginals": marginals,
    "tree": tree,
}
"""Those that make the same table from the same seed."""
UNSEEDED: Mapping[str, Generator] = {"opendp": opendp}
"""Those whose noise nobody can draw again: a game makes their tables once, at `build`, and stores them."""


def words_of(text: str) -> Sequence[str]:
    """The parts of a list that organisers wrote with commas.

    >>> words_of("chain, blend,")
    ['chain', 'blend']
    """
    return [word.strip() for word in text.split(",") if word.strip()]
