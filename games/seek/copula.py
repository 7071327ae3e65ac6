"""A Gaussian copula of any table: every column by its ranks, tied together by normal correlations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import correlations, eigen, product
from games.contract.tables import Columns
from games.seek.roc import Floats

LEAST_ROWS = 3
"""With fewer rows there are no correlations; the columns are then drawn by themselves."""


class Ordered(NamedTuple):
    """A column's cells from low to high, and the normal score of every row."""

    rising: npt.NDArray[Any]
    scores: Floats


def ordered(cells: npt.NDArray[Any], rng: np.random.Generator) -> Ordered:
    """Numbers by size, texts by how frequent they are, equal ones in random order.

    The row of rank r of N has the score Φ⁻¹((r + ½) / N), so that every column has the same scores.

    >>> found = ordered(np.array(["b", "a", "a"], dtype=object), np.random.default_rng(0))
    >>> found.rising.tolist(), sorted(found.scores.round(3).tolist())
    (['a', 'a', 'b'], [-0.967, 0.0, 0.967])
    """
    from scipy.special import ndtri

    values, codes, counts = np.unique(cells, return_inverse=True, return_counts=True)
    places = np.arange(len(values))
    if values.dtype == object:
        places[np.argsort(-counts, kind="stable")] = np.arange(len(values))
    order = np.lexsort((rng.random(len(cells)), places[codes.reshape(-1)]))
    ranks = np.empty(len(cells), dtype=np.int64)
    ranks[order] = np.arange(len(cells))
    return Ordered(cells[order], np.asarray(ndtri((ranks + 0.5) / len(cells))))


def copula(
    training: Columns, public: Columns, n: int, epsilon: float, rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """Rows with the training table's margins and the correlations of its normal scores. Not private.

    Normal vectors with those correlations are drawn, and each coordinate is turned back by the quantiles of
    its column, so every cell is one that the training column holds. Texts are ordered by frequency.
    """
    from scipy.special import ndtr

    columns = {name: ordered(cells, rng) for name, cells in training.items()}
    n_rows = len(next(iter(columns.values())).rising)
    drawn = rng.normal(size=(n, len(columns)))
    if n_rows >= LEAST_ROWS and len(columns) > 1:
        drawn = product(drawn, _root(np.column_stack([one.scores for one in columns.values()])).T)
    places = np.minimum((ndtr(drawn) * n_rows).astype(np.int64), n_rows - 1)
    return {name: one.rising[places[:, number]] for number, (name, one) in enumerate(columns.items())}


def _root(scores: Floats) -> Floats:
    """A matrix R with R Rᵀ = the correlations of the scores, for columns that follow from others, too."""
    sizes, axes = eigen(correlations(scores))
    return axes * np.sqrt(np.clip(sizes, 0, None))
