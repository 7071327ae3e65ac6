"""The pictures of a release, before and after, and the ROC curve of an answer about membership."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from games.contract.marginals import AFTER, BEFORE, category_bars, number_bars
from games.contract.tables import Columns
from games.contract.values import Bars, Curves, Heatmap
from games.seek.pictures import resampled
from games.seek.statistics import tpr_interpolated

from .general import CATEGORIES, CORRELATED, spearman
from .layout import HORIZON, NUMBERS, Flags, Floats, chosen, matrix
from .survival import kaplan_meier

GROUPS = {"everybody": None, "sex-1": ("sex", 1), "sex-0": ("sex", 0), "smoking-1": ("smoking", 1),
          "smoking-0": ("smoking", 0)}  # fmt: skip
"""Whose curves are drawn: all people, or those with a value in a column."""
N_TIMES, N_RATES = 101, 41


def marginals(cohort: Columns, release: Columns) -> Iterator[Bars]:
    """The distributions that the measure of that name compares, and the times."""
    for name in (*NUMBERS, "time"):
        yield number_bars("marginals", name, cohort[name].astype(float), release[name].astype(float))
    for name in CATEGORIES:
        yield category_bars("marginals", name, cohort[name].tolist(), release[name].tolist())


def correlations(cohort: Columns, release: Columns) -> Heatmap:
    """Spearman's correlations; a column with one value has none."""
    panels = {
        name: [[None if math.isnan(one) else one for one in row] for row in _spearman(table)]
        for name, table in ((BEFORE, cohort), (AFTER, release))
    }
    return Heatmap("correlations", CORRELATED, CORRELATED, panels)


def _spearman(table: Columns) -> list[list[float]]:
    found: list[list[float]] = spearman(matrix(table, CORRELATED)).tolist()
    return found


def survival(cohort: Columns, release: Columns) -> Iterator[Curves]:
    """Kaplan–Meier curves of the time to onset, where death censors, for everybody and for groups.

    They are given at equal steps of time, so no date of a single person can be read from them.
    """
    grid = np.linspace(0, HORIZON, N_TIMES)
    for group, condition in GROUPS.items():
        curves = {}
        for name, table in ((BEFORE, cohort), (AFTER, release)):
            part = table if condition is None else chosen(table, table[condition[0]] == condition[1])
            if len(part["time"]):
                curve = kaplan_meier(np.asarray(part["time"], dtype=float), part["onset"])
                curves[name] = (grid.tolist(), curve.at(grid).tolist())
        if curves:
            yield Curves("survival", curves, part=group)


def membership_curves(confidence: Floats, is_member: Flags, is_rare: Flags, fpr: float) -> Iterator[Curves]:
    """The ROC curves over all people and over the rare ones, with the rate that counts marked on each."""
    curves, reached = {}, []
    for name, asked in (("all", np.full(len(confidence), True)), ("rare", is_rare)):
        line = resampled(confidence[asked], is_member[asked], N_RATES)
        if line is not None:
            curves[name] = line
            reached.append(tpr_interpolated(confidence[asked], is_member[asked], fpr) or 0.0)
    if curves:
        diagonal = ([0.0, 1.0], [0.0, 1.0])
        yield Curves("roc", {**curves, "chance": diagonal}, {"rate": ([fpr] * len(reached), reached)})
