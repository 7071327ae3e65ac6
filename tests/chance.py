"""Tests of random quantities: margins whose false alarms are counted, and data that are the same everywhere.

A test that compares an average, a share or a spread takes its margin from here, so that a correct program
fails it with a probability of at most one in a million for the whole test, whatever the seed.
`KAKURENBO_TEST_LUCK=7` gives every such test another seed: a test that passes only with its own one shows
itself.
"""

from __future__ import annotations

import math
import os

import numpy as np
import numpy.typing as npt
from scipy import stats

from arithmetic import cholesky, product

FALSE_ALARM = 1e-6
"""The most that a test may fail by bad luck."""
LUCK = int(os.environ.get("KAKURENBO_TEST_LUCK", "0"))


def seed(usual: int) -> int:
    """The seed of a test: its usual one, or another where the environment asks for other luck."""
    return usual + 1_000_003 * LUCK


def generator(usual: int) -> np.random.Generator:
    return np.random.default_rng(seed(usual))


def errors_allowed(comparisons: int = 1, freedom: float = math.inf) -> float:
    """How many standard errors a mean may be away, either way, if that many means are compared in a test.

    Normal where the error is known; Student's t where it was estimated with that many degrees of freedom. The
    false alarms of all comparisons are added up (Bonferroni), so the means may depend on each other.

    >>> round(errors_allowed(), 2), round(errors_allowed(20), 2), round(errors_allowed(20, freedom=19), 2)
    (4.89, 5.45, 8.67)
    """
    return float(stats.t.isf(FALSE_ALARM / comparisons / 2, freedom))


def variance_ratios_allowed(freedom: float, comparisons: int = 1) -> tuple[float, float]:
    """Between which values an estimated variance of a normal quantity, in units of the true one, lies.

    >>> tuple(round(ratio, 2) for ratio in variance_ratios_allowed(399))
    (0.69, 1.39)
    """
    tail = FALSE_ALARM / comparisons / 2
    return float(stats.chi2.ppf(tail, freedom) / freedom), float(stats.chi2.isf(tail, freedom) / freedom)


def fewest(trials: int, share: float, comparisons: int = 1) -> int:
    """The least count of successes that is no alarm, where each of the trials succeeds with that probability.

    >>> fewest(20, 0.95), fewest(300, 0.95)
    (12, 264)
    """
    return int(stats.binom.ppf(FALSE_ALARM / comparisons, trials, share))


def most(trials: int, share: float, comparisons: int = 1) -> int:
    """The largest count of successes that is no alarm.

    >>> most(100, 0.05)
    18
    """
    return int(stats.binom.isf(FALSE_ALARM / comparisons, trials, share))


def correlated(rng: np.random.Generator, covariance: npt.ArrayLike, size: int) -> npt.NDArray[np.float64]:
    """Rows of normal values with that covariance. NumPy's own take an SVD, which differs by processor."""
    lower = cholesky(covariance)
    return product(rng.normal(size=(size, len(lower))), lower.T)
