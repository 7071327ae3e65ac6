"""U_rare: whether the rare people are still there, and still look and fare as they did."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from games.contract.tables import Columns
from games.seek.statistics import auc

from .distances import ks, mahalanobis
from .layout import NUMBERS, Flags, chosen, clipped, matrix, size
from .reference import Reference

FEW = 3
FEW_FOR_FOREST = 8
TREES = 200
FOLDS = 5
SMALLEST = 1e-6


class Rare(NamedTuple):
    """None is a part that does not exist: the cohort itself has no base for it."""

    mass: float
    prof: float | None
    onset: float | None
    c2st: float | None

    @property
    def score(self) -> float:
        return min(part for part in self if part is not None)


def detected(table: Columns, reference: Reference) -> Flags:
    """Who is far from the majority."""
    found: Flags = mahalanobis(matrix(table), reference.mean, reference.covariance) >= reference.rare_from
    return found


def mass(share: float, before: float, n: int) -> float:
    """Shares of detected rows in the release and in the cohort of n rows, beyond two standard errors.

    >>> mass(0.05, 0.05, 100)
    1.0
    """
    free = 2 * float(np.sqrt(before * (1 - before) / n))
    return clipped(1 - max(0.0, abs(share - before) - free) / max(before, SMALLEST))


def profile(found: Columns, true: Columns) -> float:
    """The mean over seven columns of 1 − KS."""
    kept = [1 - ks(found[name].astype(float), true[name].astype(float)) for name in NUMBERS]
    return sum(kept) / len(kept)


def onset_rate(found: Columns, true: Columns) -> float:
    rates = [float(np.mean(np.asarray(table["onset"], dtype=float))) for table in (found, true)]
    return 1 - abs(rates[0] - rates[1])


def two_samples(found: Columns, true: Columns, trees: int = TREES) -> float:
    """1 − 2·|AUC − ½| of a forest that tells the two apart, out of fold (scikit-learn).

    Rows are sorted, the folds and the trees have the seed 0, and one thread grows them: so the order of the
    rows and the number of processors change nothing.
    """
    # Loaded where it is needed: most verbs do without it, and it takes longer than they do.
    from sklearn import config_context
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    rows = np.concatenate([_in_order(found), _in_order(true)])
    labels = np.repeat([1, 0], [size(found), size(true)])
    folds = StratifiedKFold(min(FOLDS, size(found), size(true)), shuffle=True, random_state=0)
    forest = RandomForestClassifier(n_estimators=trees, random_state=0, n_jobs=1)
    # Every cell was checked before; asking again for each of a thousand trees takes a third of the time.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        chances = cross_val_predict(forest, rows, labels, cv=folds, method="predict_proba", n_jobs=1)[:, 1]
    area = auc(chances, labels, 0.0)
    assert area is not None
    return clipped(1 - 2 * abs(area - 0.5))


def _in_order(table: Columns) -> np.ndarray:
    rows = matrix(table)
    return rows[np.lexsort(rows.T[::-1])]


class Bases(NamedTuple):
    """What the parts reach for the cohort itself."""

    true: Columns
    share: float
    n_detected: int
    trees: int
    prof: float | None
    onset: float | None
    c2st: float | None


PARTS: tuple[tuple[str, int, Callable[[Columns, Columns, int], float]], ...] = (
    ("prof", FEW, lambda found, true, trees: profile(found, true)),
    ("onset", FEW, lambda found, true, trees: onset_rate(found, true)),
    ("c2st", FEW_FOR_FOREST, two_samples),
)
"""Name, least number of rows on either side, and function of each part."""


def bases_of(cohort: Columns, is_rare: Flags | None, reference: Reference, trees: int = TREES) -> Bases:
    """Measured once per cohort: the forest is the slowest part."""
    found = detected(cohort, reference)
    true = chosen(cohort, np.zeros(size(cohort), dtype=bool) if is_rare is None else is_rare)
    near = chosen(cohort, found)
    enough = min(size(near), size(true))
    values = {name: part(near, true, trees) if enough >= least else None for name, least, part in PARTS}
    return Bases(true, float(found.mean()), size(near), trees, **values)


def rare(release: Columns, n: int, bases: Bases, reference: Reference) -> Rare:
    """Every part of the release relative to the same part of the cohort, which has n rows."""
    found = detected(release, reference)
    near = chosen(release, found)
    parts: dict[str, float | None] = {}
    for name, least, part in PARTS:
        base = getattr(bases, name)
        if base is None or base <= SMALLEST:
            parts[name] = None
        elif size(near) < least:
            parts[name] = 0.0
        else:
            parts[name] = clipped(part(near, bases.true, bases.trees) / base)
    return Rare(mass(float(found.mean()), bases.share, n), **parts)
