"""The pictures of an entry, before and after, and the operating point of an answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from games.contract.marginals import AFTER, BEFORE, category_bars, number_bars
from games.contract.values import Bars, Curves, Heatmap

from .layout import CATEGORIES, COLUMNS, Texts, numbers_of
from .marking import Marks
from .summary import correlation

NUMBERS = tuple(name for name in COLUMNS if name not in CATEGORIES)


def marginals(before: Texts, after: Texts) -> Iterator[Bars]:
    """The distribution of every column."""
    for name in COLUMNS:
        if name in CATEGORIES:
            yield category_bars("marginals", name, before[name], after[name])
        else:
            yield number_bars("marginals", name, numbers_of(before[name]), numbers_of(after[name]))


def correlations(before: Texts, after: Texts) -> Heatmap:
    """Pearson's correlations of every two number columns, as the utility computes them."""
    panels = {name: _matrix(table) for name, table in ((BEFORE, before), (AFTER, after))}
    return Heatmap("correlations", NUMBERS, NUMBERS, panels)


def _matrix(table: Texts) -> list[list[float]]:
    columns = [numbers_of(table[name]) for name in NUMBERS]
    matrix = np.eye(len(columns))
    for i, one in enumerate(columns):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = correlation(one, columns[j])
    found: list[list[float]] = matrix.tolist()
    return found


def operating_point(marks: Marks, is_member: Marks) -> Iterator[Curves]:
    """An answer names people without an order, so it has one operating point between the corners."""
    if is_member.all() or not is_member.any():
        return
    fpr, tpr = float(marks[~is_member].mean()), float(marks[is_member].mean())
    corners = {"answer": ([0.0, fpr, 1.0], [0.0, tpr, 1.0]), "chance": ([0.0, 1.0], [0.0, 1.0])}
    yield Curves("roc", corners, {"marked": ([fpr], [tpr])})
