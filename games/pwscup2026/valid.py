"""U_valid: whether the release is honest: censoring, invented relations, copies, rows of the background."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from games.contract.tables import Columns

from .distances import ks_above, nearest
from .layout import HORIZON, LABS, NUMBERS, RELEASED, Floats, clipped, matrix, size

NEAR_END = 0.01 + 1e-5 * HORIZON
FABRICATED_FREE, FABRICATED_SCALE = 0.08, 0.5
GROUPS = ("prefecture", "sex", "smoking")
TARGETS = (*LABS, "onset")
COPIES_SCALE = 0.2
NOVEL_FREE = 0.0534
"""The 5 % point of the one-sided distance for 1,049 against 1,049 rows."""
NOVEL_COLUMNS = (*NUMBERS, "time", "sex", "smoking", "onset", "death")


class Censoring(NamedTuple):
    rowwise: float | None
    """Of those who neither fell ill nor died, the share observed to the end; None where there is nobody."""
    rate: float

    @property
    def score(self) -> float:
        """An empty set is worth nothing: else one could declare everybody dead."""
        return min(self.rowwise or 0.0, self.rate)


def _at_end(table: Columns) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = np.abs(np.asarray(table["time"], dtype=float) - HORIZON) <= NEAR_END
    return found


def censoring(cohort: Columns, release: Columns) -> Censoring:
    at_end = _at_end(release)
    healthy = (release["onset"] == 0) & (release["death"] == 0)
    rowwise = float(at_end[healthy].mean()) if healthy.any() else None
    return Censoring(rowwise, 1 - abs(float(at_end.mean()) - float(_at_end(cohort).mean())))


def no_fab(cohort: Columns, release: Columns) -> float:
    """How little differences between groups grew; weakening a relation is free."""
    penalties = []
    for name in TARGETS:
        before = np.asarray(cohort[name], dtype=float)
        deviation = float(before.std())
        if deviation <= 1e-9:
            continue
        after = np.clip(np.asarray(release[name], dtype=float), before.min(), before.max())
        for group in GROUPS:
            grown = (_between(after, release[group]) - _between(before, cohort[group])) / deviation
            penalties.append(clipped((grown - FABRICATED_FREE) / FABRICATED_SCALE))
    return 1 - sum(penalties) / len(penalties) if penalties else 1.0


def _between(values: Floats, groups: npt.NDArray[np.object_]) -> float:
    """The weighted standard deviation of the means of the groups."""
    _, codes, counts = np.unique(groups, return_inverse=True, return_counts=True)
    means = np.bincount(codes.reshape(-1), weights=values) / counts
    shares = counts / len(values)
    deviations = means - (shares * means).sum()
    return float(np.sqrt((shares * deviations * deviations).sum()))


def no_dup(release: Columns) -> float:
    """1 minus five times the share of rows that repeat another."""
    rows = set(zip(*(release[name].tolist() for name in RELEASED), strict=True))
    n = size(release)
    return 1 - clipped((n - len(rows)) / n / COPIES_SCALE)


class Background(NamedTuple):
    """The public table on the scale of its own columns, and how near the cohort's rows are to it."""

    rows: Floats
    mean: Floats
    deviations: Floats
    cohort: Floats


def background_of(public: Columns, cohort: Columns) -> Background:
    rows = matrix(public, NOVEL_COLUMNS)
    mean, deviations = rows.mean(axis=0), rows.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    scaled = (rows - mean) / deviations
    return Background(
        scaled, mean, deviations, nearest((matrix(cohort, NOVEL_COLUMNS) - mean) / deviations, scaled)
    )


def novel(release: Columns, background: Background) -> float:
    """Whether rows are nearer to the public table than the cohort's are: copied from it, say."""
    points = (matrix(release, NOVEL_COLUMNS) - background.mean) / background.deviations
    nearer = ks_above(nearest(points, background.rows), background.cohort)
    return clipped(1 - max(0.0, nearer - NOVEL_FREE) / (1 - NOVEL_FREE))
