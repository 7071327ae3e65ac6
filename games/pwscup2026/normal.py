"""The normal distribution, with the same bits on every processor."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arithmetic import exp, log

from .layout import Floats

CENTRAL = (-3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.383577518672690e2,
           -3.066479806614716e1, 2.506628277459239)  # fmt: skip
BELOW_CENTRAL = (-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1,
                 -1.328068155288572e1, 1.0)  # fmt: skip
OUTER = (-7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734,
         4.374664141464968, 2.938163982698783)  # fmt: skip
BELOW_OUTER = (7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0)
EDGE = 0.02425


def quantile(chances: npt.ArrayLike) -> Floats:
    """The inverse of the distribution function, to about 1e-9 (Acklam 2003).

    >>> quantile([0.5, 0.975]).round(6).tolist()
    [0.0, 1.959964]
    """
    p = np.asarray(chances, dtype=float)
    middle = p - 0.5
    square = middle * middle
    inner = middle * _polynomial(CENTRAL, square) / _polynomial(BELOW_CENTRAL, square)
    tail = np.sqrt(-2 * log(np.minimum(p, 1 - p)))
    outer = _polynomial(OUTER, tail) / _polynomial(BELOW_OUTER, tail)
    found: Floats = np.where(np.abs(middle) <= 0.5 - EDGE, inner, np.where(middle < 0, outer, -outer))
    return found


SERIES = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530, 0.0)


def cdf(values: npt.ArrayLike) -> Floats:
    """The distribution function, to about 1e-7 (Abramowitz and Stegun 26.2.17).

    >>> cdf([0.0, 1.959964]).round(6).tolist()
    [0.5, 0.975]
    """
    z = np.asarray(values, dtype=float)
    upper = exp(-z * z / 2) / np.sqrt(2 * np.pi) * _polynomial(SERIES, 1 / (1 + 0.2316419 * np.abs(z)))
    found: Floats = np.where(z >= 0, 1 - upper, upper)
    return found


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    total = np.zeros_like(x)
    for coefficient in coefficients:
        total = total * x + coefficient
    return total
