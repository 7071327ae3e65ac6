"""Exponentials, logarithms, powers and angles from additions, multiplications, divisions and roots alone.

The errors are within four units in the last place; `tests/arithmetic` compares with the standard library.
Kernels that are compiled themselves call the functions of one number, `exp_of` and `log_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit, types
from numba.extending import intrinsic

Floats = npt.NDArray[np.float64]

LOG2_E = 1.4426950408889634
LN2_HIGH = 6.93147180369123816490e-01
"""The leading 33 bits of ln 2: a whole number up to 2^20 times it is exact."""
LN2_LOW = 1.90821492927058770002e-10
NEAREST = 6755399441055744.0
"""1.5 · 2^52: adding and subtracting it rounds to the nearest whole number."""
LARGEST, SMALLEST = 709.782712893384, -745.1332191019412
"""Beyond these arguments exp is infinite or zero in double precision."""
FRACTION = (1 << 52) - 1
HALF_EXPONENT = 1022 << 52
HALF_PI = 1.5707963267948966


def _to_bits(_typing: Any, _value: Any) -> Any:
    """The 64 bits of a float as a whole number."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


def _from_bits(_typing: Any, _bits: Any) -> Any:
    """The float of 64 bits."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


_bits_of: Any = intrinsic(_to_bits)
_float_of: Any = intrinsic(_from_bits)


@njit(cache=True)
def _series(r: float) -> float:
    """(e^r − 1) / r for |r| ≤ ½ ln 2, by the exponential series."""
    total = 1 / 6227020800
    total = total * r + 1 / 479001600
    total = total * r + 1 / 39916800
    total = total * r + 1 / 3628800
    total = total * r + 1 / 362880
    total = total * r + 1 / 40320
    total = total * r + 1 / 5040
    total = total * r + 1 / 720
    total = total * r + 1 / 120
    total = total * r + 1 / 24
    total = total * r + 1 / 6
    total = total * r + 0.5
    return total * r + 1.0


@njit(cache=True)
def exp_of(x: float) -> float:
    """e^x: x = k ln 2 + r, e^x = 2^k e^r."""
    inside = x if SMALLEST <= x <= LARGEST else 0.0
    whole = (inside * LOG2_E + NEAREST) - NEAREST
    r = (inside - whole * LN2_HIGH) - whole * LN2_LOW
    # Two factors, since 2^k itself can be too small for a normal number.
    k = np.int64(whole)
    half = k >> 1
    power = _float_of((half + 1023) << 52) * (1.0 + r * _series(r)) * _float_of((k - half + 1023) << 52)
    power = np.inf if x > LARGEST else power
    power = 0.0 if x < SMALLEST else power
    return power if x == x else x


@njit(cache=True)
def _log_ratio(s: float) -> float:
    """ln((1 + s) / (1 − s)) for |s| ≤ 0.18, by the series of the inverse hyperbolic tangent."""
    square = s * s
    total = 1 / 25
    total = total * square + 1 / 23
    total = total * square + 1 / 21
    total = total * square + 1 / 19
    total = total * square + 1 / 17
    total = total * square + 1 / 15
    total = total * square + 1 / 13
    total = total * square + 1 / 11
    total = total * square + 1 / 9
    total = total * square + 1 / 7
    total = total * square + 1 / 5
    total = total * square + 1 / 3
    return 2.0 * s + 2.0 * s * square * total


@njit(cache=True)
def _parts(x: float) -> tuple[float, float]:
    """m and e with x = m · 2^e and √½ ≤ m < √2, for a positive finite x."""
    tiny = x < 2.2250738585072014e-308
    bits = _bits_of(x * 18014398509481984.0 if tiny else x)
    exponent = np.float64((bits >> 52) - 1022) - (54.0 if tiny else 0.0)
    m = _float_of((bits & FRACTION) | HALF_EXPONENT)
    small = m < 0.7071067811865476
    return (m * 2.0 if small else m), (exponent - 1.0 if small else exponent)


@njit(cache=True)
def log_of(x: float) -> float:
    """ln x; −∞ at 0, and not a number below."""
    if not 0.0 < x < np.inf:
        return -np.inf if x == 0.0 else (x if x > 0.0 else np.nan)
    m, exponent = _parts(x)
    return exponent * LN2_HIGH + (_log_ratio((m - 1.0) / (m + 1.0)) + exponent * LN2_LOW)


@njit(cache=True)
def _log2_of(x: float) -> float:
    if not 0.0 < x < np.inf:
        return -np.inf if x == 0.0 else (x if x > 0.0 else np.nan)
    m, exponent = _parts(x)
    return exponent + _log_ratio((m - 1.0) / (m + 1.0)) * LOG2_E


@njit(cache=True)
def _log1p_of(x: float) -> float:
    return _log_ratio(x / (2.0 + x)) if -0.25 < x < 0.4 else log_of(1.0 + x)


@njit(cache=True)
def _expm1_of(x: float) -> float:
    return x * _series(x) if -0.34 < x < 0.34 else exp_of(x) - 1.0


@njit(cache=True)
def _sine_of(x: float) -> float:
    """sin x for |x| ≤ π / 4, by its series."""
    square = x * x
    total = 1 / 355687428096000
    total = 1 / 1307674368000 - square * total
    total = 1 / 6227020800 - square * total
    total = 1 / 39916800 - square * total
    total = 1 / 362880 - square * total
    total = 1 / 5040 - square * total
    total = 1 / 120 - square * total
    total = 1 / 6 - square * total
    return x - x * square * total


@njit(cache=True)
def _arctan_of(x: float) -> float:
    """arctan x: twice the angle of half the tangent until the series is short."""
    size = abs(x)
    inner = 1.0 / size if size > 1.0 else size
    half = inner / (1.0 + np.sqrt(1.0 + inner * inner))
    quarter = half / (1.0 + np.sqrt(1.0 + half * half))
    square, total = quarter * quarter, 0.0
    for n in range(23, 1, -2):
        total = 1.0 / n - square * total
    angle = 4.0 * (quarter - quarter * square * total)
    angle = HALF_PI - angle if size > 1.0 else angle
    return -angle if x < 0.0 else angle


@njit(cache=True)
def _fill_exp(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = exp_of(values[i])


@njit(cache=True)
def _fill_log(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = log_of(values[i])


@njit(cache=True)
def _fill_log2(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _log2_of(values[i])


@njit(cache=True)
def _fill_log1p(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _log1p_of(values[i])


@njit(cache=True)
def _fill_expm1(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _expm1_of(values[i])


@njit(cache=True)
def _fill_sine(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _sine_of(values[i])


@njit(cache=True)
def _fill_arctan(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _arctan_of(values[i])


def _each(fill: Callable[[Floats, Floats], None], values: npt.ArrayLike) -> Any:
    given = np.asarray(values, dtype=np.float64, order="C")
    out = np.empty_like(given)
    fill(given.reshape(-1), out.reshape(-1))
    return out if given.ndim else out[()]


def exp(values: npt.ArrayLike) -> Any:
    """e^x of every number."""
    return _each(_fill_exp, values)


def log(values: npt.ArrayLike) -> Any:
    """The natural logarithm of every number; −∞ at 0, and not a number below."""
    return _each(_fill_log, values)


def log2(values: npt.ArrayLike) -> Any:
    """The logarithm to base 2; exact for powers of 2."""
    return _each(_fill_log2, values)


def log1p(values: npt.ArrayLike) -> Any:
    """ln(1 + x), exact to the last digits for small x too."""
    return _each(_fill_log1p, values)


def expm1(values: npt.ArrayLike) -> Any:
    """e^x − 1, exact to the last digits for small x too."""
    return _each(_fill_expm1, values)


def sine(values: npt.ArrayLike) -> Any:
    """sin x for angles up to π / 4 either way."""
    return _each(_fill_sine, values)


def arctan(values: npt.ArrayLike) -> Any:
    """The angle, between −π / 2 and π / 2, of every tangent."""
    return _each(_fill_arctan, values)


def power(base: npt.ArrayLike, exponent: npt.ArrayLike) -> Any:
    """base^exponent for a positive base.

    >>> power([4.0, 9.0], 0.5).round(12).tolist()
    [2.0, 3.0]
    """
    return exp(np.asarray(exponent) * log(base))
