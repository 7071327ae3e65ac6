"""Exponentials, logarithms, powers and angles from additions, multiplications, divisions and roots alone.

The errors are within four units in the last place; `tests/arithmetic` compares with the standard library.
Kernels that are compiled themselves call the functions of one number, `exp_of` and `log_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from arithmetic import arrays
from arithmetic.compiling import IS_COMPILED, compiled
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

if IS_COMPILED:
    from numba import types
    from numba.extending import intrinsic

Floats = npt.NDArray[np.float64]


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


_bits_of: Any = intrinsic(_to_bits) if IS_COMPILED else lambda value: np.float64(value).view(np.int64)
_float_of: Any = intrinsic(_from_bits) if IS_COMPILED else lambda bits: np.int64(bits).view(np.float64)


@compiled()
def exp_of(x: float) -> float:
    """e^x: x = k ln 2 + r, e^x = 2^k e^r."""
    inside = x if SMALLEST <= x <= LARGEST else 0.0
    whole = (inside * LOG2_E + NEAREST) - NEAREST
    r = (inside - whole * LN2_HIGH) - whole * LN2_LOW
    # Two factors, since 2^k itself can be too small for a normal number.
    k = np.int64(whole)
    half = k >> 1
    power = _float_of((half + 1023) << 52) * (1.0 + r * exponential(r)) * _float_of((k - half + 1023) << 52)
    power = np.inf if x > LARGEST else power
    power = 0.0 if x < SMALLEST else power
    return power if x == x else x


@compiled()
def _parts(x: float) -> tuple[float, float]:
    """m and e with x = m · 2^e and √½ ≤ m < √2, for a positive finite x."""
    tiny = x < LEAST_NORMAL
    bits = _bits_of(x * UP if tiny else x)
    exponent = np.float64((bits >> 52) - 1022) - (54.0 if tiny else 0.0)
    m = _float_of((bits & FRACTION) | HALF_EXPONENT)
    small = m < ROOT_HALF
    return (m * 2.0 if small else m), (exponent - 1.0 if small else exponent)


@compiled()
def log_of(x: float) -> float:
    """ln x; −∞ at 0, and not a number below."""
    if not 0.0 < x < np.inf:
        return -np.inf if x == 0.0 else (x if x > 0.0 else np.nan)
    m, exponent = _parts(x)
    return exponent * LN2_HIGH + (log_ratio((m - 1.0) / (m + 1.0)) + exponent * LN2_LOW)


@compiled()
def _log2_of(x: float) -> float:
    if not 0.0 < x < np.inf:
        return -np.inf if x == 0.0 else (x if x > 0.0 else np.nan)
    m, exponent = _parts(x)
    return exponent + log_ratio((m - 1.0) / (m + 1.0)) * LOG2_E


@compiled()
def _log1p_of(x: float) -> float:
    return log_ratio(x / (2.0 + x)) if -0.25 < x < 0.4 else log_of(1.0 + x)


@compiled()
def _expm1_of(x: float) -> float:
    return x * exponential(x) if -0.34 < x < 0.34 else exp_of(x) - 1.0


@compiled()
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


@compiled(arrays.filling(arrays.exp))
def _fill_exp(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = exp_of(values[i])


@compiled(arrays.filling(arrays.log))
def _fill_log(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = log_of(values[i])


@compiled(arrays.filling(arrays.log2))
def _fill_log2(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _log2_of(values[i])


@compiled(arrays.filling(arrays.log1p))
def _fill_log1p(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _log1p_of(values[i])


@compiled(arrays.filling(arrays.expm1))
def _fill_expm1(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = _expm1_of(values[i])


@compiled(arrays.filling(arrays.sine))
def _fill_sine(values: Floats, out: Floats) -> None:
    for i in range(len(values)):
        out[i] = sine_series(values[i])


@compiled(arrays.filling(arrays.arctan))
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
