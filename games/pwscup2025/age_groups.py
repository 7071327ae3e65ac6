"""Item 3: how far five Kruskal–Wallis tests by age are apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from arithmetic import arctan, log, power

from .layout import Floats, Integers, Texts, numbers_of

AGE = "age"
STARTS = (0, 18, 45, 65, 75)
MEASURES = ("encounter_count", "num_medications", "num_procedures", "num_immunizations", "num_devices")
KINDS = ("h", "log-p", "epsilon2", "eta2", "rank-eta2", "pairs", "pairs-symmetric")
SCALE_OF_P = 10.0
Figures = Mapping[str, float]
NOTHING: Figures = dict.fromkeys(KINDS, 0.0)


def kw_difference(before: Texts, after: Texts) -> float:
    """The largest difference over five measures and the seven numbers of each test."""
    first, second = figures_by_age(before), figures_by_age(after)
    return max(abs(second[name][kind] - first[name][kind]) for name in MEASURES for kind in KINDS)


def figures_by_age(table: Texts) -> dict[str, Figures]:
    """The seven numbers of each measure; names of columns are found whatever their case."""
    columns = {name.lower(): cells for name, cells in table.items()}
    groups = group_of(numbers_of(columns[AGE]))
    found = {}
    for name in MEASURES:
        values = numbers_of(columns[name])
        samples = [values[(groups == group) & ~np.isnan(values)] for group in range(len(STARTS))]
        found[name] = kruskal_wallis([sample for sample in samples if len(sample) >= 2])
    return found


def group_of(ages: Floats) -> Integers:
    """The age group of each row; −1 where the age is missing or negative.

    >>> group_of(np.array([0.0, 17.0, 18.0, 75.0, 300.0, -1.0, np.nan])).tolist()
    [0, 0, 1, 4, 4, -1, -1]
    """
    filled = np.where(np.isnan(ages), -1.0, ages)
    return (np.searchsorted(np.array(STARTS), filled, side="right") - 1).astype(np.int64)


def kruskal_wallis(samples: Sequence[Floats]) -> Figures:
    """Seven numbers from 0 to 1 that describe how a measure differs between groups."""
    if len(samples) < 2:
        return NOTHING
    joined = np.concatenate(samples)
    if joined.min() == joined.max():
        return NOTHING
    ranks, ties = ranks_of(joined)
    sizes = np.array([len(sample) for sample in samples])
    n, freedom = len(joined), len(samples) - 1
    sums = np.array([part.sum() for part in np.split(ranks, np.cumsum(sizes)[:-1])])
    h = (12 / (n * (n + 1)) * math.fsum(sums**2 / sizes) - 3 * (n + 1)) / (1 - ties / (float(n) ** 3 - n))
    ordered = np.cumsum(sizes) - sizes + (sizes + 1) / 2
    most = 12 / (n * (n + 1)) * math.fsum(sizes * (ordered - (n + 1) / 2) ** 2)
    between = math.fsum(sizes * (sums / sizes - (n + 1) / 2) ** 2)
    whole = math.fsum((ranks - (n + 1) / 2) ** 2)
    average, symmetric = _pairs(samples)
    return {
        "h": _clipped(h / most),
        "log-p": 2 / math.pi * float(arctan(minus_log10_tail(h, freedom) / SCALE_OF_P)),
        "epsilon2": _clipped((h - freedom) / (n - freedom)),
        "eta2": _clipped((h - freedom) / (n - 1)),
        "rank-eta2": between / whole if whole else 0.0,
        "pairs": average,
        "pairs-symmetric": symmetric,
    }


def ranks_of(values: Floats) -> tuple[Floats, float]:
    """Ranks from 1, equal values sharing the mean of theirs, and Σ (t³ − t) over the ties.

    >>> ranks_of(np.array([5.0, 1.0, 5.0]))[0].tolist()
    [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    sizes = counts.astype(np.float64)
    return (np.cumsum(counts) - (counts - 1) / 2)[places], float((sizes**3 - sizes).sum())


def minus_log10_tail(h: float, freedom: int) -> float:
    """−log₁₀ of the tail of χ² at h; where it underflows, that of Wilson and Hilferty's approximation."""
    from scipy.special import chdtrc, log_ndtr

    tail = float(chdtrc(freedom, h))
    if tail > 0:
        return -float(log(tail)) / math.log(10)
    spread = 2 / (9 * freedom)
    z = (float(power(h / freedom, 1 / 3)) - (1 - spread)) / math.sqrt(spread)
    x = -(float(log_ndtr(-abs(z))) + math.log(2)) / math.log(10)
    if math.isfinite(x):
        return x
    return z * z / (2 * math.log(10)) + (float(log(abs(z))) + math.log(2 * math.pi) / 2) / math.log(10)


def _pairs(samples: Sequence[Floats]) -> tuple[float, float]:
    """The chance that a value of the one group exceeds one of the other, over all pairs of groups."""
    weights, average, symmetric = [], [], []
    for one, other in combinations(samples, 2):
        ranks, _ = ranks_of(np.concatenate([one, other]))
        size, weight = len(one), len(one) * len(other)
        a = _clipped((float(ranks[:size].sum()) - size * (size + 1) / 2) / weight)
        weights.append(weight)
        average.append(weight * a)
        symmetric.append(weight * 2 * abs(a - 0.5))
    return math.fsum(average) / sum(weights), math.fsum(symmetric) / sum(weights)


def _clipped(value: float) -> float:
    return min(1.0, max(0.0, value))
