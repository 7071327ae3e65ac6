"""How the house attacks: densities and nearest records for membership, nearest records for the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arithmetic import NotPositive, cholesky, covariance, exp, log, power, triangular
from games.contract.tables import Columns

from .distances import CELLS, nearest, squared_distances
from .layout import HORIZON, Floats, matrix, size
from .linking import HINTS, assigned_nearness, assigned_time, blocks_nearness, blocks_time

SMALLEST = 1e-300
LARGEST = 1e300
AGE_AROUND = 3


class Scale(NamedTuple):
    """The units in which the house measures numbers: those of the background."""

    mean: Floats
    deviations: Floats

    def __call__(self, table: Columns) -> Floats:
        return (matrix(table) - self.mean) / self.deviations


def scale_of(background: Columns) -> Scale:
    rows = matrix(background)
    deviations = rows.std(axis=0)
    return Scale(rows.mean(axis=0), np.where(deviations > 0, deviations, 1.0))


def density(points: Floats, rows: Floats) -> Floats | None:
    """Gaussian kernels with Scott's factor; None where the covariance of the rows is singular."""
    n, width = rows.shape
    try:
        lower = cholesky(covariance(rows) * float(power(n, -1 / (width + 4))) ** 2)
    except NotPositive:
        return None
    points, rows = (triangular(lower, one.T).T for one in (points, rows))
    weight = -float(log(np.diag(lower)).sum()) - width / 2 * float(log(2 * np.pi)) - float(log(n))
    step = max(1, CELLS // n)
    sums = [
        exp(-squared_distances(points[start : start + step], rows) / 2 + weight).sum(axis=1)
        for start in range(0, len(points), step)
    ]
    return np.concatenate(sums)


def density_ratio(
    candidates: Columns, release: Columns, background: Columns, below: Floats | None = None
) -> Floats:
    """q / (1 + q) with q the density of the release over that of the background, at each candidate.

    ``below`` is the density of the background, where it is known from another target. One half for all where
    a density does not exist. Reference: the attack behind the contest's protection.
    """
    scale = scale_of(background)
    points = scale(candidates)
    above = density(points, scale(release))
    below = density(points, scale(background)) if below is None else below
    if above is None or below is None:
        return np.full(size(candidates), 0.5)
    ratio = np.minimum(above / np.maximum(below, SMALLEST), LARGEST)
    return ratio / (1 + ratio)


def nearness(candidates: Columns, release: Columns, background: Columns, below: Any = None) -> Floats:
    """1 / (1 + distance to the nearest released row), on the scale of the background."""
    scale = scale_of(background)
    return 1 / (1 + nearest(scale(candidates), scale(release)))


def nearest_time(challenge: Columns, release: Columns, background: Columns) -> Floats:
    """The time of the nearest released row of the same sex and prefecture, else sex, else of all."""
    units = matrix(background, HINTS).std(axis=0, ddof=1)
    units = np.where(units > 0, units, 1.0)
    points, rows = (matrix(table, HINTS) / units for table in (challenge, release))
    times = np.asarray(release["time"], dtype=float)
    found = np.zeros(size(challenge))
    for alike, asked in _groups(challenge, release):
        distances = squared_distances(points[asked], rows[alike])
        found[asked] = times[alike][distances.argmin(axis=1)]
    return found


def _groups(challenge: Columns, release: Columns) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Of each sex and prefecture that is asked about: the released rows to compare with, the rows asked."""
    pairs = sorted(set(zip(challenge["sex"].tolist(), challenge["prefecture"].tolist(), strict=True)))
    groups = []
    for sex, prefecture in pairs:
        asked = np.flatnonzero((challenge["sex"] == sex) & (challenge["prefecture"] == prefecture))
        same_sex = release["sex"] == sex
        choices = (same_sex & (release["prefecture"] == prefecture), same_sex, np.ones(len(same_sex), bool))
        alike = next(np.flatnonzero(choice) for choice in choices if choice.any())
        groups.append((alike, asked))
    return groups


def median_time(challenge: Columns, release: Columns, background: Columns) -> Floats:
    """The median time of released rows of the same sex and prefecture and about the same age, else 10."""
    times, ages = (np.asarray(release[name], dtype=float) for name in ("time", "age"))
    found = np.full(size(challenge), HORIZON)
    for alike, asked in _groups(challenge, release):
        for row in asked:
            near = alike[np.abs(ages[alike] - float(challenge["age"][row])) <= AGE_AROUND]
            if len(near):
                found[row] = float(np.median(times[near]))
    return found


Confidence = Callable[[Columns, Columns, Columns, Any], Floats]
Guess = Callable[[Columns, Columns, Columns], Floats]
ATTACKS: Mapping[str, tuple[Confidence, Guess]] = {
    "reference": (density_ratio, nearest_time),
    "nearest": (nearness, median_time),
    "blocks": (blocks_nearness, blocks_time),
    "assignment": (assigned_nearness, assigned_time),
}
"""What each house attack answers to both challenges."""
