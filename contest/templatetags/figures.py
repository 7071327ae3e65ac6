"""How numbers are set in tables: as many digits as say something, grouped for the reader's language."""

from __future__ import annotations

from django import template
from django.template.defaultfilters import floatformat

register = template.Library()

DASH = "–"


@register.filter
def figure(value: float | None) -> str:
    """A number with about four digits that matter.

    >>> [figure(x) for x in (0.69871, 12.3456, 141.59, 48917.2, 0, 0.000423, None)]
    ['0.699', '12.35', '141.6', '48,917', '0', '0.00042', '–']
    """
    if value is None:
        return DASH
    size = abs(value)
    if size == 0:
        digits = 0
    elif size < 0.001:
        digits = 5
    else:
        digits = 3 if size < 10 else 2 if size < 100 else 1 if size < 1000 else 0
    return str(floatformat(value, f"{digits}g"))


@register.filter
def percent(share: float | None) -> str:
    """A share of one as a percentage.

    >>> percent(0.2225)
    '22.3\\xa0%'
    """
    return DASH if share is None else f"{floatformat(100 * share, 1)}\N{NO-BREAK SPACE}%"
