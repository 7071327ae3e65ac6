"""The rules that turn estimates from several masked copies into one estimate with its variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Combined:
    """``estimate`` is the mean of the copies, ``variance`` that of the mean, made of the last two.

    ``freedom`` are the degrees of freedom of the t reference distribution.
    """

    estimate: float
    variance: float
    between: float
    within: float
    freedom: float


def combine(estimates: Sequence[float], variances: Sequence[float], rule: str = "partial") -> Combined:
    """Combine estimates q_1 … q_m with variances u_1 … u_m.

    With q̄ = mean q, b = Σ(q − q̄)² / (m − 1), ū = mean u. ``partial``: only confidential columns are
    synthetic; T = ū + b / m with (m − 1)(1 + ū m / b)² degrees of freedom (Reiter, 2003). ``full``:
    T = (1 + 1/m) b − ū with (m − 1)(1 − ū m / ((m + 1) b))² (Raghunathan, Reiter and Rubin, 2003); where that
    is negative the partial rule is used.

    >>> found = combine([1.0, 3.0], [0.5, 0.5])
    >>> found.estimate, found.variance, found.freedom
    (2.0, 1.5, 2.25)
    """
    m = len(estimates)
    if m < 2 or m != len(variances):
        raise ValueError(f"Combining needs two or more estimates, each with a variance. Got {m}.")
    if rule not in ("partial", "full"):
        raise ValueError(f"The 'rule' parameter of combine must be partial or full. Got {rule} instead.")
    mean = float(np.mean(estimates))
    between, within = float(np.var(estimates, ddof=1)), float(np.mean(variances))
    variance = within + between / m
    freedom = (m - 1) * (1 + within * m / between) ** 2 if between else float("inf")
    if rule == "full" and (1 + 1 / m) * between > within:
        variance = (1 + 1 / m) * between - within
        freedom = (m - 1) * (1 - within * m / ((m + 1) * between)) ** 2
    return Combined(mean, variance, between, within, freedom)
