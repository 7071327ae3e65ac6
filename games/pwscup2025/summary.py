"""Item 1: how far the usual statistics of two tables are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from arithmetic import product

from .layout import Floats, Texts, numbers_of

NUMERIC_SHARE = 0.95
"""Of the cells that are not empty; with fewer numbers, a column is a category."""
QUARTILES = (0.25, 0.5, 0.75)
Terms = Mapping[tuple[str, ...], float]


def stats_difference(before: Texts, after: Texts) -> float:
    """The largest difference of a statistic; one that a table lacks counts 0 there.

    Statistics are the mean, standard deviation and quartiles of each number column, scaled across the
    columns; the share of each value of a category; and the correlation of every two number columns.
    """
    first, second = terms_of(before), terms_of(after)
    gaps = (abs(second.get(term, 0.0) - first.get(term, 0.0)) for term in {**first, **second})
    return max(gaps, default=0.0)


def terms_of(table: Texts) -> Terms:
    """Every statistic of a table by its name."""
    numbers: dict[str, Floats] = {}
    terms: dict[tuple[str, ...], float] = {}
    for name, cells in table.items():
        stripped = [cell.strip() for cell in cells]
        values = numbers_of(cells)
        n_filled = sum(map(bool, stripped))
        if n_filled and np.count_nonzero(~np.isnan(values)) >= NUMERIC_SHARE * n_filled:
            numbers[name] = values
        else:
            counts = Counter(stripped)
            terms |= {("share", name, value): count / len(cells) for value, count in counts.items()}
    terms |= _scaled_terms(numbers)
    for one, other in combinations(numbers, 2):
        terms["correlation", one, other] = correlation(numbers[one], numbers[other])
    return terms


def _scaled_terms(numbers: Mapping[str, Floats]) -> dict[tuple[str, ...], float]:
    vectors: dict[str, list[float]] = {"mean": [], "deviation": []}
    vectors |= {f"quantile {share}": [] for share in QUARTILES}
    for values in numbers.values():
        there = values[~np.isnan(values)]
        vectors["mean"].append(float(there.mean()) if len(there) else np.nan)
        vectors["deviation"].append(float(there.std(ddof=1)) if len(there) > 1 else np.nan)
        for share in QUARTILES:
            vectors[f"quantile {share}"].append(float(np.quantile(there, share)) if len(there) else np.nan)
    return {
        (kind, name): value
        for kind, vector in vectors.items()
        for name, value in zip(numbers, scaled(vector), strict=True)
    }


def scaled(values: Sequence[float]) -> list[float]:
    """(v − min) / (max − min) over the columns; what is undefined is 0.

    >>> scaled([1.0, 3.0, float("nan"), 5.0])
    [0.0, 0.5, 0.0, 1.0]
    """
    there = [value for value in values if not np.isnan(value)]
    low, span = (min(there), max(there) - min(there)) if there else (0.0, 0.0)
    if not span > 0:
        return [0.0] * len(values)
    return [float(np.nan_to_num((value - low) / span)) for value in values]


def correlation(left: Floats, right: Floats) -> float:
    """Pearson's correlation over the rows where both are there; 0 where it is undefined."""
    both = ~(np.isnan(left) | np.isnan(right))
    x, y = left[both], right[both]
    if len(x) < 2 or not np.isfinite(x).all() or not np.isfinite(y).all():
        return 0.0
    if x.min() == x.max() or y.min() == y.max():
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    between, size = float(product(x, y)), np.sqrt(float(product(x, x))) * np.sqrt(float(product(y, y)))
    return float(np.clip(between / size, -1.0, 1.0))
