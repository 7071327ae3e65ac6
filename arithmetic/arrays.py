"""The kernels as NumPy operations: each element goes through the very operations of the compiled ones.

NumPy adds, multiplies, divides and takes roots element by element without fusing anything, so the bits are
the same. Sums are taken here one term after the other, because NumPy orders its own ones as it likes.
`tests/arithmetic/test_arrays.py` compares every function with the compiled one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic.series import (
    FRACTION,
    HALF_EXPONENT,
    HALF_PI,
    LARGEST,
    LEAST_NORMAL,
    LN2_HIGH,
    LN2_LOW,
    LOG2_E,
    NEAREST,
    ROOT_HALF,
    SMALLEST,
    UP,
    exponential,
    log_ratio,
    sine_series,
)

Floats = npt.NDArray[np.float64]
LANES = 8


def filling(function: Callable[[Floats], Floats]) -> Callable[[Floats, Floats], None]:
    """As compiled kernels have it: results go into an array that is there."""

    def fill(values: Floats, out: Floats) -> None:
        with np.errstate(all="ignore"):
            out[:] = function(values)

    return fill


def exp(x: Floats) -> Floats:
    inside = np.where((x >= SMALLEST) & (x <= LARGEST), x, 0.0)
    whole = (inside * LOG2_E + NEAREST) - NEAREST
    r = (inside - whole * LN2_HIGH) - whole * LN2_LOW
    k = whole.astype(np.int64)
    half = k >> 1
    power = _float_of((half + 1023) << 52) * (1.0 + r * exponential(r)) * _float_of((k - half + 1023) << 52)
    power = np.where(x > LARGEST, np.inf, power)
    power = np.where(x < SMALLEST, 0.0, power)
    return np.where(x == x, power, x)


def log(x: Floats) -> Floats:
    is_usual = (x > 0.0) & (x < np.inf)
    m, exponent = _parts(np.where(is_usual, x, 1.0))
    found = exponent * LN2_HIGH + (log_ratio((m - 1.0) / (m + 1.0)) + exponent * LN2_LOW)
    return np.where(is_usual, found, _log_at_the_ends(x))


def log2(x: Floats) -> Floats:
    is_usual = (x > 0.0) & (x < np.inf)
    m, exponent = _parts(np.where(is_usual, x, 1.0))
    found = exponent + log_ratio((m - 1.0) / (m + 1.0)) * LOG2_E
    return np.where(is_usual, found, _log_at_the_ends(x))


def log1p(x: Floats) -> Floats:
    return np.where((x > -0.25) & (x < 0.4), log_ratio(x / (2.0 + x)), log(1.0 + x))


def expm1(x: Floats) -> Floats:
    return np.where((x > -0.34) & (x < 0.34), x * exponential(x), exp(x) - 1.0)


def sine(x: Floats) -> Floats:
    found: Floats = sine_series(x)
    return found


def arctan(x: Floats) -> Floats:
    size = np.abs(x)
    inner = np.where(size > 1.0, 1.0 / size, size)
    half = inner / (1.0 + np.sqrt(1.0 + inner * inner))
    quarter = half / (1.0 + np.sqrt(1.0 + half * half))
    square, total = quarter * quarter, np.zeros_like(quarter)
    for n in range(23, 1, -2):
        total = 1.0 / n - square * total
    angle = 4.0 * (quarter - quarter * square * total)
    angle = np.where(size > 1.0, HALF_PI - angle, angle)
    return np.where(x < 0.0, -angle, angle)


def _log_at_the_ends(x: Floats) -> Floats:
    return np.where(x == 0.0, -np.inf, np.where(x > 0.0, x, np.nan))


def _parts(x: Floats) -> tuple[Floats, Floats]:
    """m and e with x = m · 2^e and √½ ≤ m < √2, for positive finite x."""
    tiny = x < LEAST_NORMAL
    bits = np.where(tiny, x * UP, x).view(np.int64)
    exponent = ((bits >> 52) - 1022).astype(np.float64) - np.where(tiny, 54.0, 0.0)
    m = _float_of((bits & FRACTION) | HALF_EXPONENT)
    small = m < ROOT_HALF
    return np.where(small, m * 2.0, m), np.where(small, exponent - 1.0, exponent)


def _float_of(bits: npt.NDArray[np.int64]) -> Floats:
    return bits.view(np.float64)


def by_vector(left: Floats, right: Floats) -> Floats:
    """Each row times a vector: eight interleaved sums, then the rest."""
    sums, rest = np.zeros((len(left), LANES)), np.zeros(len(left))
    whole = len(right) - len(right) % LANES
    for i in range(0, whole, LANES):
        sums += left[:, i : i + LANES] * right[i : i + LANES]
    for i in range(whole, len(right)):
        rest += left[:, i] * right[i]
    a, b, c, d, e, f, g, h = sums.T
    found: Floats = ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest
    return found


def dot_of(left: Floats, right: Floats) -> Any:
    return by_vector(left[None, :], right)[0]


def add_rows_of(out: Floats, factors: Floats, rows: Floats) -> None:
    for factor, row in zip(factors, rows, strict=True):
        out += factor * row


def product_of(left: Floats, right: Floats) -> Floats:
    out = np.zeros((left.shape[0], right.shape[1]))
    for k in range(len(right)):
        out += left[:, k, None] * right[k]
    return out


def transposed_product(left: Floats, right: Floats) -> Floats:
    out = np.zeros((left.shape[1], right.shape[1]))
    for i in range(len(left)):
        out += left[i, :, None] * right[i]
    return out


def triangle(columns: Floats, right: Floats) -> tuple[Floats, Floats]:
    """R and the leading part of Qᵀb by Householder reflections."""
    a, b = columns.copy(), right.copy()
    q = a.shape[1]
    for k in range(min(a.shape)):
        size = np.sqrt(_sum(a[k:, k] * a[k:, k]))
        if size == 0.0:
            continue
        head = -size if a[k, k] > 0.0 else size
        reflector = a[k:, k].copy()
        reflector[0] -= head
        half = _sum(reflector * reflector)
        along = _sum(reflector[:, None] * a[k:, k + 1 :])
        a[k:, k + 1 :] -= 2.0 * along / half * reflector[:, None]
        b[k:] -= 2.0 * _sum(reflector * b[k:]) / half * reflector
        a[k, k] = head
        a[k + 1 :, k] = 0.0
    return a[:q].copy(), b[:q].copy()


def _sum(terms: Floats) -> Any:
    """Along the first axis, one after the other from 0."""
    return np.cumsum(terms, axis=0)[-1] + 0.0
