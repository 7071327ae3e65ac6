"""U_spec: whether an analyst of the release finds what the cohort says about who falls ill."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arithmetic import log, product
from games.contract.tables import Columns

from .layout import Floats, clipped
from .survival import Cox, NotEstimable, concordance, cox

COVARIATES = ("age", "sex", "BMI", "SBP", "TG", "HDL", "ALT", "FPG", "smoking")
IN_LOGARITHMS = ("TG", "ALT")
NORMAL = 1.959963984540054
"""The 97.5 % point of the normal distribution."""
LEAST_SIGNAL = 0.02
"""Where the cohort's own model is no better than this above one half, any other is as good."""


class Special(NamedTuple):
    overlap: float
    transfer: float

    @property
    def score(self) -> float:
        return min(self.overlap, self.transfer)


def covariates(table: Columns) -> Floats:
    """The nine covariates, triglycerides and ALT in logarithms."""
    columns = []
    for name in COVARIATES:
        values = np.asarray(table[name], dtype=float)
        columns.append(log(np.maximum(values, 1e-6)) if name in IN_LOGARITHMS else values)
    return np.column_stack(columns)


def fitted(table: Columns) -> Cox | None:
    """The Cox regression of onset, where death censors; None where it cannot be estimated."""
    try:
        return cox(covariates(table), np.asarray(table["time"], dtype=float), table["onset"])
    except NotEstimable:
        return None


def special(cohort: Columns, release: Columns, model: Cox | None) -> Special | None:
    """``model`` is the cohort's own. None where one of the two cannot be estimated: then U_spec is 0."""
    other = fitted(release)
    if model is None or other is None:
        return None
    transfer = _transfer(cohort, model, other)
    if transfer is None:
        return None
    columns = (values.tolist() for values in (*model, *other))
    overlaps = [_overlap(*pair) for pair in zip(*columns, strict=True)]
    return Special(sum(overlaps) / len(overlaps), transfer)


def _transfer(cohort: Columns, model: Cox, other: Cox) -> float | None:
    rows, time = covariates(cohort), np.asarray(cohort["time"], dtype=float)
    own, theirs = (
        concordance(product(rows, one.coefficients), time, cohort["onset"]) for one in (model, other)
    )
    if own is None or theirs is None:
        return None
    return 1.0 if own - 0.5 < LEAST_SIGNAL else clipped((theirs - 0.5) / (own - 0.5))


def _overlap(before: float, error_before: float, after: float, error_after: float) -> float:
    """How far two 95 % intervals agree; nothing where they differ in significance or in sign.

    >>> _overlap(1.0, 0.1, 1.0, 0.1), _overlap(1.0, 0.1, -1.0, 0.1), _overlap(1.0, 0.1, 1.0, 9.0)
    (1.0, 0.0, 0.0)
    """
    low, high = before - NORMAL * error_before, before + NORMAL * error_before
    other_low, other_high = after - NORMAL * error_after, after + NORMAL * error_after
    significant, other_significant = (lo > 0 or hi < 0 for lo, hi in ((low, high), (other_low, other_high)))
    if significant != other_significant or (significant and before * after < 0):
        return 0.0
    width, other_width = high - low, other_high - other_low
    if width <= 0 or other_width <= 0:
        return clipped(1 - min(abs(before - after) / (4 * error_before), 1.0)) if error_before else 0.0
    common = min(high, other_high) - max(low, other_low)
    return clipped(0.5 * (common / width + common / other_width))
