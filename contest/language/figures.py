"""How numbers are written: with as many digits as say something, alike in English and Japanese."""

from __future__ import annotations

DASH = "–"


def figure(value: float | None) -> str:
    """A number with about four significant digits.

    >>> [figure(x) for x in (0.69871, 12.3456, 141.59, 48917.2, 0, 0.000423, None)]
    ['0.699', '12.35', '141.6', '48,917', '0', '0.00042', '–']
    """
    if value is None:
        return DASH
    size = abs(value)
    if size == 0:
        return "0"
    if size < 0.001:
        return f"{value:.5f}"
    digits = 3 if size < 10 else 2 if size < 100 else 1 if size < 1000 else 0
    return f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    """A share of one as a percentage.

    >>> percent(0.184), percent(0.0025)
    ('18.4\\xa0%', '0.25\\xa0%')
    """
    if share is None:
        return DASH
    digits = 2 if 0 < share < 0.01 else 1
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"
