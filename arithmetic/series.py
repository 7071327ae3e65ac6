"""The series behind the elementary functions, for a number or an array of them."""

from __future__ import annotations

from typing import Any

from arithmetic.compiling import compiled

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
LEAST_NORMAL, UP = 2.2250738585072014e-308, 18014398509481984.0
"""The smallest normal number, and 2^54, which makes smaller ones normal."""
ROOT_HALF = 0.7071067811865476


@compiled()
def exponential(r: Any) -> Any:
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


@compiled()
def log_ratio(s: Any) -> Any:
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


@compiled()
def sine_series(x: Any) -> Any:
    """sin x for |x| ≤ π / 4."""
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
