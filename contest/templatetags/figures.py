"""How numbers are set in tables: as many digits as say something.

English and Japanese write numbers alike, and a board has thousands of them, so this does not go through
Django's much slower localisation.
"""

from __future__ import annotations

import datetime

from django import template

from contest.language.figures import DASH, figure, percent

register = template.Library()
register.filter(figure)
register.filter(percent)


@register.filter
def fixed(value: float | None, digits: int = 1) -> str:
    """A number with this many decimals.

    >>> fixed(77.75), fixed(148.951, 2), fixed(38087, 0), fixed(None)
    ('77.8', '148.95', '38,087', '–')
    """
    return DASH if value is None else f"{value:,.{digits}f}"


@register.filter
def limit(value: float | None) -> str:
    """A limit, as it was set.

    >>> limit(0.7), limit(50000), limit(5.0), limit(None)
    ('0.7', '50,000', '5', '–')
    """
    return DASH if value is None else f"{value:,.10g}"


@register.filter
def width(share: float | None) -> str:
    """The length of a bar: a whole percentage between 0 and 100, as SVG wants it.

    >>> width(71.4), width(130.0), width(None)
    ('71%', '100%', '0%')
    """
    return f"{min(100, max(0, round(share or 0)))}%"


@register.filter
def span(length: datetime.timedelta | None) -> str:
    """A length of time in the two largest units that it has.

    >>> from datetime import timedelta
    >>> [span(timedelta(seconds=s)) for s in (0, 42, 3_700, 90_000, 864_000)]
    ['0 s', '42 s', '1 h 1 min', '1 d 1 h', '10 d 0 h']
    """
    if length is None:
        return DASH
    seconds = round(length.total_seconds())
    units = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
    for place, (name, size) in enumerate(units[:-1]):
        if seconds >= size:
            next_name, next_size = units[place + 1]
            return f"{seconds // size} {name} {seconds % size // next_size} {next_name}"
    return f"{seconds} s"


@register.filter
def plain(cell: object) -> str:
    """A cell of a table that may hold texts and numbers.

    >>> plain("yes"), plain(12), plain(0.69871), plain(None)
    ('yes', '12', '0.699', '–')
    """
    if isinstance(cell, int) and not isinstance(cell, bool):
        return f"{cell:,}"
    return figure(cell) if isinstance(cell, float) or cell is None else str(cell)
